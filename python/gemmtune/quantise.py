"""Quantises tensors by torch's own operations, bit for bit as gemmtune's quantisers on the host do (gemm/quantise.h)."""
import torch

E4M3_LARGEST = 448.0
MX_BLOCK = 32
# The midpoints between neighbours of 0 0.5 1 1.5 2 3 4 6. A value on one goes to the neighbour with an even code.
E2M1_MIDPOINTS = (0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0)


def _e2m1_codes(values):
    """Codes 0 to 15 of values in [-6, 6] or beyond, to nearest even."""
    magnitudes = values.abs()
    codes = torch.zeros_like(values, dtype=torch.uint8)
    for code, midpoint in enumerate(E2M1_MIDPOINTS):
        above = magnitudes > midpoint if code % 2 == 0 else magnitudes >= midpoint
        codes += above.to(torch.uint8)
    return codes | (torch.signbit(values).to(torch.uint8) << 3)


def _e8m0(largest):
    """AITER's default: the largest magnitude is rounded to two significant bits, and its exponent is lowered by 2."""
    bits = largest.view(torch.int32)
    exponent = ((bits + 0x200000) >> 23) & 0xFF
    return torch.where(torch.isfinite(largest), (exponent - 2).clamp(min=0), 255).to(torch.uint8)


def quantize_mxfp4(x):
    """x [..., k] with k a multiple of 32: bytes [..., k/2], the first of two elements in the low bits, and E8M0 scales
    [..., k/32]."""
    values = x.to(torch.float32)
    blocks = values.reshape(*values.shape[:-1], -1, MX_BLOCK)
    scales = _e8m0(blocks.abs().amax(-1).contiguous())
    factors = torch.ldexp(torch.ones_like(blocks[..., 0]), 127 - scales.to(torch.int32))
    codes = _e2m1_codes(blocks * factors[..., None]).reshape(values.shape)
    return codes[..., 0::2] | (codes[..., 1::2] << 4), scales


def quantize_fp8(x, scaling="row"):
    """x [rows, k] as e4m3 with f32 scales, of each row ("row"), of each 128 of k in a row ("1x128"), of each 128 × 128
    ("128x128") or of the tensor ("tensor")."""
    values = x.to(torch.float32)
    rows, k = values.shape
    height, width = {"row": (1, k), "1x128": (1, 128), "128x128": (128, 128), "tensor": (rows, k)}[scaling]
    padded = torch.nn.functional.pad(values, (0, -k % width, 0, -rows % height))
    blocks = padded.reshape(padded.shape[0] // height, height, padded.shape[1] // width, width)
    largest = blocks.abs().amax((1, 3))
    scales = torch.where(largest == 0, torch.ones_like(largest), largest / E4M3_LARGEST)
    scaled = (blocks / scales[:, None, :, None]).clamp(-E4M3_LARGEST, E4M3_LARGEST)
    return scaled.reshape(padded.shape)[:rows, :k].contiguous().to(torch.float8_e4m3fn), scales
