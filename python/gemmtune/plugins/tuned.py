"""What the plugins have in common: whether there are tables, and 16-bit products that take torch's path where the tables
have no row."""
import functools
import logging
import os

import torch
from torch.nn import functional

from .. import bound, operators, served
from ..library import Error

TABLES = "GEMMTUNE_CONFIG_"
ALIASES = "AITER_CONFIG_"

_tuned = {}
served.when_plans_change(_tuned.clear)


def has_tables():
    """Whether the environment names tables. Without them the plugins leave the server as it is."""
    return any(name.startswith((TABLES, ALIASES)) and value for name, value in os.environ.items())


def why_not_here():
    """Why kernels are not offered, or None."""
    if not has_tables():
        return f"no tables: set {TABLES}A16W16, {TABLES}A8W8, {TABLES}A8W8_BLOCKSCALE or {TABLES}A4W4"
    if torch.version.hip or not torch.cuda.is_available():
        return "there is no CUDA device"
    return None


def device():
    """Where this process of the server computes."""
    return torch.device("cuda", torch.cuda.current_device())


def why_not_run(text):
    """Why no kernel runs a problem on this device, or None."""
    try:
        served.lookup(text, device())
    except Error as error:
        return reason(error)
    return None


@functools.lru_cache(maxsize=None)
def warn(text):
    """Once."""
    logging.getLogger("gemmtune").warning("gemmtune: %s", text)


def reason(error):
    """The error's first line. Servers show reasons only if no kernel at all is left, so broken tables are also logged."""
    text = str(error).splitlines()[0]
    if error.status != "unsupported":
        warn(text)
    return text


def _bind(x, weight, bias):
    """The product for tensors like these: of the tables' kernel, or torch's."""
    kinds = ("none", "none", x.dtype, False)
    try:
        flat = bound.collapsed(x)
        text = bound.problem_of(flat if flat is not None else x.contiguous().view(-1, x.shape[-1]), weight, kinds, bias)
        if served.lookup(text, x.device).match != "fallback":
            call = bound.bind(kinds, x, weight, bias=bias)
            return lambda x, weight, bias: call(x, weight, None, None, bias)
    except Error as error:
        reason(error)
    return functional.linear


def _linear(x, weight, bias=None):
    look = (x.dtype, x.device, x.shape, x.stride(), weight.dtype, weight.shape, weight.stride())
    key = look if bias is None else (*look, bias.dtype, bias.shape)
    found = _tuned.get(key)
    if found is None:
        found = _tuned[key] = _bind(x, weight, bias) if x.numel() else functional.linear
    try:
        return found(x, weight, bias)
    except Error:  # such as a view at an odd address: nothing was enqueued
        return functional.linear(x, weight, bias)


def _fake_linear(x, weight, bias=None):
    return x.new_empty((*x.shape[:-1], weight.shape[0]))


linear_or_torch = operators.define("linear_or_torch(Tensor x, Tensor weight, Tensor? bias=None) -> Tensor", _linear, _fake_linear)


def is_plain(x, weight):
    """Whether the tables may have rows for such a product."""
    return x.is_cuda and x.dtype in (torch.bfloat16, torch.float16) and weight.dtype == x.dtype and weight.dim() == 2
