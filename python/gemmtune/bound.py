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


def _new_operands(plan):
    made = Operands(packed_layout=plan.info.packed_layout)
    made.address = ctypes.addressof(made)
    return made


def empty_maker(device):
    """torch.empty_strided(shape, strides, type) on the current device; compiled graphs of torch use the faster one."""
    fast = getattr(getattr(torch._C._dynamo, "guards", None), f"_empty_strided_{device.type}", None)
    return fast or (lambda shape, strides, dtype: torch.empty_strided(shape, strides, dtype=dtype, device=device))


def strides_of(shape):
    return tuple(math.prod(shape[i + 1:]) for i in range(len(shape)))


def on_its_device(call, device):
    """The call, on the tensors' device. With one GPU there is no other."""
    if device.type != "cuda" or torch.cuda.device_count() == 1:
        return call

    def switching(*tensors):
        if torch._C._cuda_getDevice() == device.index:
            return call(*tensors)
        with torch.cuda.device(device.index):
            return call(*tensors)

    return switching


def product(plan, device, shape, dtype):
    """A function that multiplies tensors like those of the plan. Everything it needs is in local variables, because each
    access to a member of an object would take a hundredth of the call."""
    handle, packs, workspace_bytes = plan.handle, plan.info.packed_bytes > 0, plan.info.workspace_bytes
    index = device.index if device.type == "cuda" else None
    strides, empty, enqueue = strides_of(shape), empty_maker(device), lib.gemmtune_launch
    spare = [_new_operands(plan)]  # that no call is using: threads must not share them

    def call(a, w, a_scale, w_scale, bias):
        out = empty(shape, strides, dtype)
        operands = spare.pop() if spare else _new_operands(plan)
        operands.a, operands.w, operands.c = a.data_ptr(), w.data_ptr(), out.data_ptr()
        if w_scale is not None:
            operands.w_scale = w_scale.data_ptr()
            if a_scale is not None:
                operands.a_scale = a_scale.data_ptr()
        if bias is not None:
            operands.bias = bias.data_ptr()
        stream = None if index is None else stream_of_index(index)
        if packs:
            operands.packed_w = packed_weights(plan, w, w_scale, stream)
        if workspace_bytes:
            block, place = take_workspace(workspace_bytes, device, stream)
            operands.workspace, operands.workspace_bytes = block[0], block[1]
        if enqueue(handle, operands.address, stream, None):
            plan.launch_operands(operands, stream)  # raises, with the message
        if workspace_bytes and place is not None:
            place.append(block)
        spare.append(operands)
        return out

    return on_its_device(call, device)


def _refuse(status, text):
    raise Error(status, text)


def _side(tensor, scaling):
    name = NAMES.get(tensor.dtype) or _refuse("unsupported", f"operands of {tensor.dtype} are not multiplied")
    if name == "e2m1" and scaling == "1x32f16":  # bytes of two elements
        name = "int4"
    return name if scaling == "none" else f"{name}/{scaling}"


def _values(tensor, side):
    """Elements of a row: e2m1 and int4 have two in a byte."""
    return tensor.shape[-1] * (2 if side.startswith(("e2m1", "int4")) else 1)


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
          "128x128": lambda rows, k: (-(-rows // 128), -(-k // 128)),
          "1x128e8m0": lambda rows, k: (rows, -(-k // 128)), "128x128e8m0": lambda rows, k: (-(-rows // 128), -(-k // 128)),
          "1x32": lambda rows, k: (rows, -(-k // 32)),
          "32x32": lambda rows, k: (-(-rows // 32), -(-k // 32)),
          "1x32f16": lambda rows, k: (rows, -(-k // 32)), "1x16": lambda rows, k: (nvfp4_scale_bytes(rows, k),)}
NO_SCALES = ("none", "q8", "fp8_1x128", "fp8_row")
SCALE_TYPES = {"1x32": BYTES, "32x32": BYTES, "1x128e8m0": BYTES, "128x128e8m0": BYTES, "1x32f16": {torch.float16}, "1x16": {torch.uint8}}


def nvfp4_scale_bytes(rows, k):
    """E4M3 bytes for 16 of k, and behind them, at a multiple of four bytes, the f32 scale of the matrix."""
    return -(-rows * -(-k // 16) // 4) * 4 + 4


def _check_scale(name, scale, scaling, rows, k, device):
    """A wrong shape would read memory that is not the tensor's, and a wrong type gives a wrong product."""
    if scaling in NO_SCALES:
        return
    if scale is None:
        _refuse("invalid_argument", f"{name} is missing")
    expected = SCALES[scaling](rows, k)
    shape = tuple(size for size in scale.shape if size != 1)
    if shape != tuple(size for size in expected if size != 1):
        _refuse("invalid_argument", f"{name} is {list(scale.shape)}: expected {list(expected)}")
    types = SCALE_TYPES.get(scaling, {torch.float32})
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
    """A function that multiplies tensors like these. `kinds` as in problem_of()."""
    flat = collapsed(a)
    if flat is None:
        again = bind(kinds, a.contiguous(), w, a_scale, w_scale, bias)
        return lambda a, *others: again(a.contiguous(), *others)
    _check_device("W", w, a.device)
    text = problem_of(flat, w, kinds, bias)
    (m, _), n, k = flat.shape, w.shape[0], _values(w, text.split(":")[2])
    _check_scale("the scale of A", a_scale, kinds[0], m, k, a.device)
    _check_scale("the scale of W", w_scale, kinds[1], n, k, a.device)
    _check_bias(bias, n, kinds[2], a.device)
    shape = (*a.shape[:-1], n)
    if 0 in shape:
        return lambda *_: torch.empty(shape, dtype=kinds[2], device=a.device)
    return product(runtime_of(key_of(a.device)).plan(text), a.device, shape, kinds[2])
