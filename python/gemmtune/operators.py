"""The torch.library operators of the package: with fake implementations, so that torch.compile sees through them, and
with a refusal of gradients."""
import torch

from . import bound
from .library import Error
from .served import reloading, when_plans_change

MOST_BOUND = 16384  # as many plans as the runtime keeps

_bound = {}
when_plans_change(_bound.clear)

library = torch.library.Library("gemmtune", "FRAGMENT")


def define(schema, implementation, fake):
    """Defines an operator, and returns its overload. One Python function serves the CPU and GPUs."""
    library.define(schema, tags=(torch.Tag.pt2_compliant_tag, torch.Tag.needs_fixed_stride_order))
    name = schema.split("(")[0]
    for key in ("CPU", "CUDA"):
        library.impl(name, implementation, key)
    torch.library.register_fake(f"gemmtune::{name}", fake, lib=library)
    torch.library.register_autograd(f"gemmtune::{name}", _no_gradient, lib=library)
    return getattr(torch.ops.gemmtune, name).default


def _no_gradient(context, *gradients):
    raise Error("unsupported", "gemmtune multiplies for inference: it has no gradients")


def _look(tensor):
    return (tensor.dtype, tensor.device, tensor.shape, tensor.stride())


def multiply_now(kinds, a, w, a_scale, w_scale, bias):
    """The product in eager mode without gradients. `kinds` as in bound.problem_of()."""
    key = (kinds, a.dtype, a.device, a.shape, a.stride(), w.dtype, w.device, w.shape, w.stride())
    if w_scale is not None:
        key += _look(w_scale) if a_scale is None else _look(a_scale) + _look(w_scale)
    if bias is not None:
        key += _look(bias)
    if reloading:
        for runtime in reloading:
            runtime.forget_reloaded()
    found = _bound.get(key) or _bind(key, kinds, a, w, a_scale, w_scale, bias)
    return found(a, w, a_scale, w_scale, bias)


def _bind(key, kinds, a, w, a_scale, w_scale, bias):
    found = bound.bind(kinds, a, w, a_scale, w_scale, bias)
    if len(_bound) >= MOST_BOUND:
        _bound.clear()
    _bound[key] = found
    return found


def _multiply(a, w, a_scale, w_scale, bias, a_scaling, w_scaling, out_dtype, packed):
    return multiply_now((a_scaling, w_scaling, out_dtype, packed), a, w, a_scale, w_scale, bias)


def _fake_multiply(a, w, a_scale, w_scale, bias, a_scaling, w_scaling, out_dtype, packed):
    return a.new_empty((*a.shape[:-1], w.shape[0]), dtype=out_dtype)


_operator = define("multiply(Tensor a, Tensor w, Tensor? a_scale, Tensor? w_scale, Tensor? bias, str a_scaling, "
                   "str w_scaling, ScalarType out_dtype, bool packed) -> Tensor", _multiply, _fake_multiply)


def multiply(kinds, a, w, a_scale, w_scale, bias):
    """A [..., k] times W [n, k], plus bias [n], through torch.library. Scalings are "none", "tensor", "row", "1x128",
    "128x128", "1x32", "1x16", "1x32f16", and of A "q8", "fp8_1x128" and "fp8_row": each call quantises it."""
    a_scaling, w_scaling, out_dtype, packed = kinds
    return _operator(a, w, a_scale, w_scale, bias, a_scaling, w_scaling, out_dtype, packed)
