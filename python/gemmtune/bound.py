"""Products that are ready to be called again: for tensors of the same shapes, types and strides, everything but the
addresses stays the same, so that a call in eager mode costs little more than the kernel's launch."""
import ctypes
import math

import torch

from .library import Error, Operands, lib
from .memory import packed_weights, take_workspace
from .served import key_of, runtime_of, stream_of_index

NAMES = {torch.float32: "f32", torch.float16: "fp16", torch.bfloat16: "bf16", torch.int8: "int8", torch.uint8: "e2m1"}
for _name, _text in (("float8_e4m3fn", "e4m3"), ("float8_e4m3fnuz", "e4m3fnuz"), ("float4_e2m1fn_x2", "e2m1")):
    if hasattr(torch, _name):
        NAMES[getattr(torch, _name)] = _text
BYTES = {torch.uint8, getattr(torch, "float8_e8m0fnu", torch.uint8)}


class Bound:
    """The product of tensors like those that it was made from."""

    def __init__(self, plan, device, shape, dtype):
        self.plan, self.handle = plan, plan.handle
        self.device, self.dtype = device, dtype
        self.index = device.index if device.type == "cuda" else None
        self.several = self.index is not None and torch.cuda.device_count() > 1
        self.shape, self.strides = shape, tuple(math.prod(shape[i + 1:]) for i in range(len(shape)))
        self.packs = plan.info.packed_bytes > 0
        self.workspace_bytes = plan.info.workspace_bytes
        self.spare = []  # operands that no call is using: threads must not share them

    def operands(self):
        made = Operands(packed_layout=self.plan.info.packed_layout)
        made.address = ctypes.addressof(made)
        return made

    def __call__(self, a, w, a_scale=None, w_scale=None, bias=None):
        if self.several and torch._C._cuda_getDevice() != self.index:
            with torch.cuda.device(self.index):
                return self.run(a, w, a_scale, w_scale, bias)
        return self.run(a, w, a_scale, w_scale, bias)

    def run(self, a, w, a_scale, w_scale, bias):
        out = torch.empty_strided(self.shape, self.strides, dtype=self.dtype, device=self.device)
        self.launch(a, w, a_scale, w_scale, bias, out)
        return out

    def launch(self, a, w, a_scale, w_scale, bias, out):
        try:
            operands = self.spare.pop()
        except IndexError:
            operands = self.operands()
        operands.a, operands.w, operands.c = a.data_ptr(), w.data_ptr(), out.data_ptr()
        if a_scale is not None:
            operands.a_scale = a_scale.data_ptr()
        if w_scale is not None:
            operands.w_scale = w_scale.data_ptr()
        if bias is not None:
            operands.bias = bias.data_ptr()
        stream = None if self.index is None else stream_of_index(self.index)
        if self.packs:
            operands.packed_w = packed_weights(self.plan, w, w_scale, stream)
        if self.workspace_bytes:
            self._with_workspace(operands, stream)
        elif lib.gemmtune_launch(self.handle, operands.address, stream, None):
            self.plan.launch_operands(operands, stream)  # raises, with the message
        self.spare.append(operands)

    def _with_workspace(self, operands, stream):
        block, place = take_workspace(self.workspace_bytes, self.device, stream)
        operands.workspace, operands.workspace_bytes = block[0], block[1]
        if lib.gemmtune_launch(self.handle, operands.address, stream, None):
            self.plan.launch_operands(operands, stream)
        if place is not None:
            place.append(block)


class Empty:
    """A product without elements."""

    def __init__(self, device, shape, dtype):
        self.device, self.shape, self.dtype = device, shape, dtype

    def __call__(self, *_):
        return torch.empty(self.shape, dtype=self.dtype, device=self.device)


def _refuse(status, text):
    raise Error(status, text)


def _side(tensor, scaling):
    name = NAMES.get(tensor.dtype) or _refuse("unsupported", f"operands of {tensor.dtype} are not multiplied")
    return name if scaling == "none" else f"{name}/{scaling}"


def _values(tensor, side):
    """Elements of a row: e2m1 has two in a byte."""
    return tensor.shape[-1] * (2 if side.startswith("e2m1") else 1)


def collapsed(a):
    """A [..., k] as a view [m, k], or None if its rows are not equally far apart."""
    if a.dim() == 2:
        return a
    rows = math.prod(a.shape[:-1])
    try:
        return a.view(rows, a.shape[-1])
    except RuntimeError:
        return None


SCALES = {"tensor": lambda rows, k: (1,), "row": lambda rows, k: (rows,), "1x128": lambda rows, k: (rows, -(-k // 128)),
          "128x128": lambda rows, k: (-(-rows // 128), -(-k // 128)), "1x32": lambda rows, k: (rows, k // 32)}


def _check_scale(name, scale, scaling, rows, k, device):
    """A wrong shape would read memory that is not the tensor's, and a wrong type gives a wrong product."""
    if scaling == "none":
        return
    if scale is None:
        _refuse("invalid_argument", f"{name} is missing")
    expected = SCALES[scaling](rows, k)
    shape = tuple(size for size in scale.shape if size != 1)
    if shape != tuple(size for size in expected if size != 1):
        _refuse("invalid_argument", f"{name} is {list(scale.shape)}: expected {list(expected)}")
    types = BYTES if scaling == "1x32" else {torch.float32}
    if scale.dtype not in types or not scale.is_contiguous():
        _refuse("unsupported", f"{name} must be contiguous and {' or '.join(sorted(map(str, types)))}, and is {scale.dtype}")
    _check_device(name, scale, device)


def _check_device(name, tensor, device):
    if tensor.device != device:
        _refuse("invalid_argument", f"A is on {device} and {name} on {tensor.device}")


def _check_bias(bias, n, out, device):
    if bias is None:
        return
    _check_device("bias", bias, device)
    if tuple(bias.shape) != (n,) or bias.dtype != out or not bias.is_contiguous():
        _refuse("unsupported", f"bias is {list(bias.shape)} of {bias.dtype}: expected [{n}] of {out}, contiguous")


def _gap(name, tensor, k):
    """":lda=…" if rows are not one after the other."""
    rows, row = tensor.shape
    return "" if rows <= 1 or tensor.stride(0) == row else f":{name}={tensor.stride(0) * k // row}"


def problem_of(a, w, kinds, bias):
    """The problem's text for A [m, k] and W [n, k]; `kinds` is (scaling of a, of w, output type, packed)."""
    a_scaling, w_scaling, out, packed = kinds
    a_side, w_side = _side(a, a_scaling), _side(w, w_scaling)
    k = _values(a, a_side)
    if w.dim() != 2 or _values(w, w_side) != k:
        _refuse("invalid_argument", f"A is {list(a.shape)} and W is {list(w.shape)}: expected [m, k] and [n, k]")
    if a.stride(1) != 1 or w.stride(1) != 1:
        _refuse("unsupported", "rows of A and W must be contiguous")
    return (f"{a.shape[0]}x{w.shape[0]}x{k}:{a_side}:{w_side}:{NAMES.get(out)}{_gap('lda', a, k)}{_gap('ldw', w, k)}"
            + (":bias" if bias is not None else "") + (":packed" if packed else ""))


def bind(kinds, a, w, a_scale=None, w_scale=None, bias=None):
    """The product for tensors like these. `kinds` as in problem_of(). None if A must be made contiguous first."""
    flat = collapsed(a)
    if flat is None:
        return None
    _check_device("W", w, a.device)
    text = problem_of(flat, w, kinds, bias)
    (m, _), n, k = flat.shape, w.shape[0], _values(w, text.split(":")[2])
    _check_scale("the scale of A", a_scale, kinds[0], m, k, a.device)
    _check_scale("the scale of W", w_scale, kinds[1], n, k, a.device)
    _check_bias(bias, n, kinds[2], a.device)
    shape = (*a.shape[:-1], n)
    if 0 in shape:
        return Empty(a.device, shape, kinds[2])
    return Bound(runtime_of(key_of(a.device)).plan(text), a.device, shape, kinds[2])
