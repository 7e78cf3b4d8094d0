"""Multiplications of tensors by tuned kernels, with AITER's names and orders of arguments.

`multiply` is one torch.library operator with a fake implementation, so that torch.compile sees through it. In eager mode
without gradients the functions go around it, because crossing torch.library takes longer than a small product. Plans are
found by shapes in a dictionary. Weights that a kernel wants packed are packed when they are first used, and the copy is
kept with the weight tensor.
"""
import threading
from typing import Optional

import torch

from .library import Counters, Error, Operands, lib
from .runtime import Runtime

NAMES = {torch.float32: "f32", torch.float16: "fp16", torch.bfloat16: "bf16", torch.int8: "int8", torch.uint8: "e2m1"}
for _name, _text in (("float8_e4m3fn", "e4m3"), ("float8_e4m3fnuz", "e4m3fnuz"), ("float4_e2m1fn_x2", "e2m1")):
    if hasattr(torch, _name):
        NAMES[getattr(torch, _name)] = _text

_runtimes = {}
_plans = {}  # by device, shapes, types and scalings; emptied when a runtime is opened or its tables are reloaded
_reloading = []  # the runtimes whose tables change without a call of poll()
_lock = threading.Lock()
MOST_PLANS = 16384


def key_of(device):
    if device.type == "cpu":
        return ("cpu", 0)
    if device.type != "cuda":
        raise Error("no_device", f"tensors on {device} are not multiplied: expected cpu or cuda")
    return ("cuda", torch.cuda.current_device() if device.index is None else device.index)


def open_runtime(device=None, **options):
    """Opens a device's runtime with options of gemmtune.Runtime, in place of the one that was open. Without this call it
    is opened when it is first used, with what the environment says. poll() of the result reads changed tables."""
    key = key_of(torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu")))
    with _lock:
        _runtimes[key] = Served(key, options)
        _reloading[:] = [runtime for runtime in _runtimes.values() if runtime.reloads_by_itself]
        _plans.clear()
    return _runtimes[key]


class Served(Runtime):
    def __init__(self, key, options):
        super().__init__(device=f"{key[0]}:{key[1]}", **options)
        self.reloads_by_itself = options.get("reload_interval_ms", 0) > 0
        self._counters = Counters()

    def poll(self):
        outcome = super().poll()
        if outcome == "reloaded":
            _plans.clear()
        return outcome

    def forget_reloaded(self):
        """Tables may have been reloaded by the runtime's own thread."""
        before = self._counters.reloads
        lib.gemmtune_runtime_count(self._handle, self._counters)
        if self._counters.reloads != before:
            _plans.clear()


def runtime_of(key):
    found = _runtimes.get(key)
    if found is None:
        with _lock:
            found = _runtimes.get(key) or _runtimes.setdefault(key, Served(key, {}))
    return found


def lookup(text, device="cpu"):
    """How a problem is multiplied on a device: gemmtune.Info of its plan."""
    return runtime_of(key_of(torch.device(device))).plan(text).info


def stream_of(device):
    return torch._C._cuda_getCurrentRawStream(device.index) if device.type == "cuda" else None


def _address(tensor):
    return None if tensor is None else tensor.data_ptr()


def aligned(count, device):
    """`count` bytes that begin at a multiple of 256, as all blocks of torch's allocator for CUDA do."""
    if device.type == "cuda":
        return torch.empty(count, dtype=torch.uint8, device=device)
    whole = torch.empty(count + 256, dtype=torch.uint8, device=device)
    return whole[-whole.data_ptr() % 256:]


def _packed(plan, w, w_scale):
    """The plan's copy of the weights. A change of the weights in place makes a new one."""
    copies = w.__dict__.setdefault("_gemmtune_packed", {})
    made = copies.get(plan.info.packed_layout)
    if made is None or made[0] != w._version:
        packed = aligned(plan.info.packed_bytes, w.device)
        plan.pack_weights(w.data_ptr(), _address(w_scale), packed.data_ptr(), stream_of(w.device))
        made = copies[plan.info.packed_layout] = (w._version, packed)
    return made[1]


def launch(plan, tensors, out):
    """Multiplies into `out`. `tensors` is (a, a_scale, w, w_scale, bias)."""
    a, a_scale, w, w_scale, bias = tensors
    info = plan.info
    operands = Operands(a=a.data_ptr(), w=w.data_ptr(), c=out.data_ptr())
    if a_scale is not None:
        operands.a_scale = a_scale.data_ptr()
    if w_scale is not None:
        operands.w_scale = w_scale.data_ptr()
    if bias is not None:
        operands.bias = bias.data_ptr()
    if info.packed_bytes:
        operands.packed_w, operands.packed_layout = _packed(plan, w, w_scale).data_ptr(), info.packed_layout
    if info.workspace_bytes:
        workspace = aligned(info.workspace_bytes, a.device)  # freed in the order of the stream
        operands.workspace, operands.workspace_bytes = workspace.data_ptr(), info.workspace_bytes
    plan.launch_operands(operands, stream_of(a.device))


def _values(tensor, name):
    """Elements of a row: e2m1 has two in a byte."""
    return tensor.shape[-1] * (2 if name == "e2m1" else 1)


def _side(tensor, scaling):
    name = NAMES.get(tensor.dtype)
    if name is None:
        raise Error("unsupported", f"operands of {tensor.dtype} are not multiplied")
    return name if scaling == "none" else f"{name}/{scaling}"


def _text(a, w, kinds):
    """The problem of A [m, k] and W [n, k]; `kinds` is (scaling of a, of w, output type, bias, packed)."""
    a_scaling, w_scaling, out, has_bias, packed = kinds
    a_side, w_side = _side(a, a_scaling), _side(w, w_scaling)
    k = _values(a, a_side.split("/")[0])
    if a.dim() != 2 or w.dim() != 2 or _values(w, w_side.split("/")[0]) != k:
        raise Error("invalid_argument", f"A is {tuple(a.shape)} and W is {tuple(w.shape)}: expected [m, k] and [n, k]")
    if a.stride(1) != 1 or w.stride(1) != 1:
        raise Error("unsupported", "rows of A and W must be contiguous")
    distances = "".join(f":{name}={tensor.stride(0) * k // tensor.shape[1]}" for name, tensor in (("lda", a), ("ldw", w))
                        if tensor.stride(0) != tensor.shape[1] and tensor.shape[0] > 1)
    return (f"{a.shape[0]}x{w.shape[0]}x{k}:{a_side}:{w_side}:{NAMES.get(out)}{distances}"
            + (":bias" if has_bias else "") + (":packed" if packed else ""))


def plan_of(a, w, kinds):
    """The plan for A [m, k] and W [n, k]; `kinds` as in _text()."""
    key = (a.device, a.dtype, w.dtype, a.shape, w.shape, a.stride(), w.stride(), kinds)
    for runtime in _reloading:
        runtime.forget_reloaded()
    plan = _plans.get(key)
    if plan is None:
        if len(_plans) >= MOST_PLANS:  # as many as the runtime keeps
            _plans.clear()
        plan = _plans[key] = runtime_of(key_of(a.device)).plan(_text(a, w, kinds))
    return plan


def _multiply(a, w, scales, bias, kinds):
    for other in (w, *scales, bias):
        if other is not None and other.device != a.device:
            raise Error("invalid_argument", f"A is on {a.device} and another operand on {other.device}")
    out = torch.empty((a.shape[0], w.shape[0]), dtype=kinds[2], device=a.device)
    if out.numel() == 0:
        return out
    tensors = (a, scales[0], w, scales[1], bias)
    if a.device.type == "cuda" and torch._C._cuda_getDevice() != a.device.index:
        with torch.cuda.device(a.device):
            launch(plan_of(a, w, kinds), tensors, out)
    else:
        launch(plan_of(a, w, kinds), tensors, out)
    return out


@torch.library.custom_op("gemmtune::multiply", mutates_args=())
def multiply(a: torch.Tensor, w: torch.Tensor, a_scale: Optional[torch.Tensor], w_scale: Optional[torch.Tensor],
             bias: Optional[torch.Tensor], a_scaling: str, w_scaling: str, out_dtype: torch.dtype,
             packed: bool) -> torch.Tensor:
    """A [m, k] times W [n, k], plus bias [n]. Scalings are "none", "tensor", "row", "1x128", "128x128", "1x32"."""
    return _multiply(a, w, (a_scale, w_scale), bias, (a_scaling, w_scaling, out_dtype, bias is not None, packed))


@multiply.register_fake
def _(a, w, a_scale, w_scale, bias, a_scaling, w_scaling, out_dtype, packed):
    return a.new_empty((a.shape[0], w.shape[0]), dtype=out_dtype)


def _no_gradient(context, gradient):
    raise Error("unsupported", "gemmtune multiplies for inference: it has no gradients")


multiply.register_autograd(_no_gradient)


def _needs_operator(tensors):
    """Under torch.compile, and where gradients are wanted, which the operator refuses when they are computed."""
    if torch.compiler.is_compiling():
        return True
    return torch.is_grad_enabled() and any(tensor is not None and tensor.requires_grad for tensor in tensors)


def _call(a, w, scales, bias, kinds):
    a_scaling, w_scaling, out_dtype, packed = kinds
    if _needs_operator((a, w, bias)):
        return multiply(a, w, *scales, bias, a_scaling, w_scaling, out_dtype, packed)
    return _multiply(a, w, scales, bias, (a_scaling, w_scaling, out_dtype, bias is not None, packed))


NO_SCALES = (None, None)


def linear(x, w, bias=None):
    """x [..., k] times w [n, k] transposed, plus bias: torch.nn.functional.linear."""
    if x.dim() == 2:
        return _call(x, w, NO_SCALES, bias, ("none", "none", x.dtype, False))
    out = _call(x.reshape(-1, x.shape[-1]), w, NO_SCALES, bias, ("none", "none", x.dtype, False))
    return out.reshape(*x.shape[:-1], w.shape[0])


def gemm_a16w16(A, B, bias=None, otype=None):
    """A [m, k] times B [n, k] transposed, of 16-bit or f32 elements."""
    return _call(A, B, NO_SCALES, bias, ("none", "none", otype or A.dtype, False))


def _whole(scale):
    return "tensor" if scale.numel() == 1 else "row"


def gemm_a8w8(XQ, WQ, x_scale, w_scale, bias=None, dtype=torch.bfloat16, splitK=None):
    """8-bit operands with f32 scales: one for a tensor, or one for each token and each channel. A table says the split."""
    return _call(XQ, WQ, (x_scale, w_scale), bias, (_whole(x_scale), _whole(w_scale), dtype, False))


def gemm_a8w8_blockscale(XQ, WQ, x_scale, w_scale, dtype=torch.bfloat16):
    """8-bit operands with f32 scales [m, ceil(k/128)] and [ceil(n/128), ceil(k/128)]."""
    return _call(XQ, WQ, (x_scale, w_scale), None, ("1x128", "128x128", dtype, False))


def _bytes(tensor):
    """The tensor as bytes: always the same view, to which the packed weights belong."""
    if tensor.dtype == torch.uint8:
        return tensor
    return tensor.__dict__.setdefault("_gemmtune_bytes", tensor.view(torch.uint8))


def gemm_a4w4(A, B, A_scale, B_scale, bias=None, dtype=torch.bfloat16, alpha=1.0, beta=0.0, bpreshuffle=True):
    """MXFP4 operands [m, k/2] and [n, k/2], two elements in a byte, with E8M0 scales [m, k/32] and [n, k/32]. They are
    expected as quantize_mxfp4() gives them, whatever bpreshuffle says: the kernel packs the weights as it wants them."""
    if alpha != 1.0 or beta != 0.0:
        raise Error("unsupported", "gemm_a4w4 takes alpha = 1 and beta = 0 only")
    return _call(_bytes(A), _bytes(B), (_bytes(A_scale), _bytes(B_scale)), bias, ("1x32", "1x32", dtype, True))
