"""Multiplications of tensors by tuned kernels, with AITER's names and orders of arguments.

In eager mode a product is found in a dictionary by what its tensors look like (bound.py) and launched. Under
torch.compile, and where gradients are wanted, products are the operator of operators.py, which crosses torch.library:
that takes longer than a small product.
"""
import torch

from .library import Error
from .operators import multiply, multiply_now

_is_compiling, _is_grad_enabled = torch.compiler.is_compiling, torch.is_grad_enabled


def _needs_operator(a, w, bias):
    """Under torch.compile, and where gradients are wanted, which the operator refuses when they are computed."""
    return _is_compiling() or (_is_grad_enabled() and
                               (a.requires_grad or w.requires_grad or (bias is not None and bias.requires_grad)))


def _call(kinds, a, w, a_scale, w_scale, bias):
    """`kinds` is (scaling of a, scaling of w, output type, whether weights may be packed)."""
    return (multiply if _needs_operator(a, w, bias) else multiply_now)(kinds, a, w, a_scale, w_scale, bias)


def linear(x, w, bias=None):
    """x [..., k] times w [n, k] transposed, plus bias: torch.nn.functional.linear."""
    return _call(("none", "none", x.dtype, False), x, w, None, None, bias)


def gemm_a16w16(A, B, bias=None, otype=None):
    """A [m, k] times B [n, k] transposed, of 16-bit or f32 elements."""
    return _call(("none", "none", otype or A.dtype, False), A, B, None, None, bias)


def _scalings(x_scale, w_scale, m):
    """One scale for one token may mean either: it is taken to be as the weights' scales are."""
    w_scaling = "tensor" if w_scale.numel() == 1 else "row"
    if x_scale.numel() == 1:
        return (w_scaling if m == 1 else "tensor"), w_scaling
    return "row", w_scaling


def gemm_a8w8(XQ, WQ, x_scale, w_scale, bias=None, dtype=torch.bfloat16, splitK=None):
    """8-bit operands with f32 scales: one for a tensor, or one for each token and each channel. A table says the split."""
    return _call((*_scalings(x_scale, w_scale, XQ.shape[0]), dtype, False), XQ, WQ, x_scale, w_scale, bias)


def _of_blocks(scaling, scale):
    """Scales are f32, or bytes of E8M0."""
    return scaling if scale.dtype == torch.float32 else scaling + "e8m0"


def gemm_a8w8_blockscale(XQ, WQ, x_scale, w_scale, dtype=torch.bfloat16):
    """8-bit operands with scales [m, ceil(k/128)] and [ceil(n/128), ceil(k/128)]: f32, or of E4M3 also E8M0."""
    kinds = (_of_blocks("1x128", x_scale), _of_blocks("128x128", w_scale), dtype, False)
    return _call(kinds, XQ, WQ, x_scale, w_scale, None)


def gemm_a16w8_blockscale(x, wq, w_scale, dtype=None, bias=None):
    """x [m, k] of bf16, fp16 or f32 times E4M3 weights [n, k] with scales [ceil(n/128), ceil(k/128)], transposed.
    Each call quantises x to E4M3 with a scale for each 128 of k, as quantize_fp8(x, "1x128") does."""
    return _call(("fp8_1x128", _of_blocks("128x128", w_scale), dtype or x.dtype, False), x, wq, None, w_scale, bias)


def gemm_a16w8(x, wq, w_scale, dtype=None, bias=None):
    """The same with one scale for each token, as quantize_fp8(x, "row") does, and of the weights one or n scales."""
    w_scaling = "tensor" if w_scale.numel() == 1 else "row"
    return _call(("fp8_row", w_scaling, dtype or x.dtype, False), x, wq, None, w_scale, bias)


def _bytes(tensor):
    """The tensor as bytes: always the same view, to which the packed weights belong, until the tensor gets other memory."""
    if tensor.dtype == torch.uint8:
        return tensor
    kept = tensor.__dict__.get("_gemmtune_bytes")
    if kept is None or kept.data_ptr() != tensor.data_ptr() or kept.shape[:-1] != tensor.shape[:-1]:
        kept = tensor.__dict__["_gemmtune_bytes"] = tensor.view(torch.uint8)
    return kept


def gemm_a4w4(A, B, A_scale, B_scale, bias=None, dtype=torch.bfloat16, alpha=1.0, beta=0.0, bpreshuffle=True):
    """MXFP4 operands [m, k/2] and [n, k/2], two elements in a byte, with E8M0 scales [m, k/32] and [n, k/32]. They are
    expected as quantize_mxfp4() gives them, whatever bpreshuffle says: the kernel packs the weights as it wants them."""
    if alpha != 1.0 or beta != 0.0:
        raise Error("unsupported", "gemm_a4w4 takes alpha = 1 and beta = 0 only")
    return _call(("1x32", "1x32", dtype, True), _bytes(A), _bytes(B), _bytes(A_scale), _bytes(B_scale), bias)


def gemm_a16w4(A, B, B_scale, bias=None, dtype=None):
    """A [m, k] of bf16, fp16 or f32 times MXFP4 weights [n, k/2] with E8M0 scales [n, k/32], transposed. A is multiplied
    as it is. B is expected as quantize_mxfp4() gives it: the kernel packs it as it wants it."""
    return _call(("none", "1x32", dtype or A.dtype, True), A, _bytes(B), None, _bytes(B_scale), bias)


def gemm_a8w4(A, B, B_scale, bias=None, dtype=None):
    """The same, but each call quantises A to int8 in blocks of 32 along k."""
    return _call(("q8", "1x32", dtype or A.dtype, True), A, _bytes(B), None, _bytes(B_scale), bias)


def gemm_a16w4_fp8(A, B, B_scale, bias=None, dtype=None):
    """The same, but each call quantises A to E4M3 with one scale for each token, as quantize_fp8(A, "row") does."""
    return _call(("fp8_row", "1x32", dtype or A.dtype, True), A, _bytes(B), None, _bytes(B_scale), bias)


def gemm_a8w4_fp8(XQ, B, x_scale, B_scale, bias=None, dtype=torch.bfloat16):
    """The same for XQ that is E4M3 already, with f32 scales: one for the tensor, or one for each token."""
    scaling = "tensor" if x_scale.numel() == 1 and XQ.shape[:-1].numel() > 1 else "row"
    return _call((scaling, "1x32", dtype, True), XQ, _bytes(B), x_scale, _bytes(B_scale), bias)


def gemm_a16w4_nvfp4(A, B, B_scale, bias=None, dtype=None):
    """A [m, k] of bf16, fp16 or f32 times NVFP4 weights [n, k/2], transposed. B_scale is what nvfp4_scales() makes."""
    return _call(("none", "1x16", dtype or A.dtype, True), A, _bytes(B), None, B_scale, bias)


def gemm_a8w4_nvfp4(A, B, B_scale, bias=None, dtype=None):
    """The same, but each call quantises A to int8 in blocks of 32 along k."""
    return _call(("q8", "1x16", dtype or A.dtype, True), A, _bytes(B), None, B_scale, bias)


def nvfp4_scales(block_scales, tensor_scale):
    """The scales of an NVFP4 matrix as one tensor of bytes: of blocks, E4M3 [n, k/16], and of the whole, a float that
    the others are multiplied with. Keep the result: packed weights are kept for the tensor that they were made from."""
    blocks = block_scales.contiguous().view(torch.uint8).flatten()
    whole = torch.as_tensor(tensor_scale, dtype=torch.float32, device=blocks.device).reshape(1).view(torch.uint8)
    return torch.cat((blocks, blocks.new_zeros(-blocks.numel() % 4), whole))


def gemm_a8wq4(A, B, B_scale, bias=None, dtype=None):
    """A [m, k] of bf16, fp16 or f32, which each call quantises to int8 in blocks of 32 along k, times int4 weights of
    -8 to 7 with fp16 scales [n, ceil(k/32)], transposed: GGUF's Q4_0. B [n, k/2] has element 2i in the low nibble of a
    byte, in two's complement."""
    return _call(("q8", "1x32f16", dtype or A.dtype, True), A, _bytes(B), None, B_scale, bias)


def gemm_a8wq8(A, B, B_scale, bias=None, dtype=None):
    """The same for int8 weights [n, k]: GGUF's Q8_0."""
    return _call(("q8", "1x32f16", dtype or A.dtype, True), A, B, None, B_scale, bias)
