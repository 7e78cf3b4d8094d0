"""MXFP4 at the speed of FP8: block exponents are folded into E4M3 elements, and what is left is a scale for each row.

An element of E2M1 has one bit of mantissa, so E4M3 holds it exactly for block exponents down to 14 below the row's
largest one. What is further below is rounded, and is less than 2^-18 of the row's largest element.
"""

from dataclasses import replace

import torch
import triton
import triton.language as tl

from gemmtune_worker.backends.triton_calls import TYPES, Call
from gemmtune_worker.backends.triton_space import ceil_div, power_of_two_from
from gemmtune_worker.problem import parse_problem

BLOCK_K = 2048
HEADROOM = 6  # 6 * 2^6 = 384 is the largest element that is made; E4M3 ends at 448


@triton.jit
def fold(codes, scales, folded, row_scales, K, GROUPS: tl.constexpr, BLOCK_K: tl.constexpr, HEADROOM: tl.constexpr):
    """A program folds BLOCK_K elements of one row. GROUPS: a power of two that covers the row's scales."""
    row = tl.program_id(0).to(tl.int64)
    of_row = tl.cdiv(K, 32)
    groups = tl.arange(0, GROUPS)
    exponents = tl.load(scales + row * of_row + groups, mask=groups < of_row, other=0).to(tl.int32)
    largest = tl.max(tl.where(exponents == 255, 0, exponents), axis=0)
    if tl.program_id(1) == 0:
        tl.store(row_scales + row, (tl.maximum(largest - HEADROOM, 1) << 23).to(tl.float32, bitcast=True))

    k = tl.program_id(1) * BLOCK_K + tl.arange(0, BLOCK_K)
    mask = k < K
    pair = tl.load(codes + row * (K // 2) + k // 2, mask=mask, other=0).to(tl.int32)
    exponent = tl.load(scales + row * of_row + k // 32, mask=mask, other=0).to(tl.int32)
    code = (pair >> (k % 2 * 4)) & 15
    magnitude = code & 7
    normal = (((magnitude >> 1) + 126) << 23 | (magnitude & 1) << 22).to(tl.float32, bitcast=True)
    value = tl.where(magnitude < 2, magnitude.to(tl.float32) * 0.5, normal)
    value = tl.where(code > 7, -value, value)
    factor = (tl.maximum(exponent - largest + 127 + HEADROOM, 0) << 23).to(tl.float32, bitcast=True)
    bits = (value * factor).to(tl.float8e4nv).to(tl.uint8, bitcast=True)
    tl.store(folded + row * K + k, tl.where(exponent == 255, 127, bits.to(tl.int32)).to(tl.uint8), mask=mask)


def folded_problem(problem):
    return parse_problem(f"{problem.m}x{problem.n}x{problem.k}:e4m3/row:e4m3/row:{problem.out}")


class Folded:
    """Memory for both operands of a problem after folding."""

    def __init__(self, problem, device):
        self.problem = problem
        rows = problem.m + problem.n
        self.values = torch.empty(rows * problem.k, dtype=torch.uint8, device=device)
        self.scales = torch.empty(rows, dtype=torch.float32, device=device)

    def bytes(self):
        return self.values.numel() + 4 * self.scales.numel()

    def operands(self, operands):
        """What the FP8 kernel multiplies instead."""
        m, typed = self.problem.m, self.values.view(TYPES["e4m3"])
        return replace(operands, a=typed[:m * self.problem.k], w=typed[m * self.problem.k:], a_scale=self.scales[:m],
                       w_scale=self.scales[m:])

    def calls(self, operands):
        p = self.problem
        parts = ((operands.a, operands.a_scale, 0, p.m), (operands.w, operands.w_scale, p.m, p.n))
        return [self._call(codes, scales, first, rows) for codes, scales, first, rows in parts]

    def _call(self, codes, scales, first, rows):
        k = self.problem.k
        args = (codes, scales, self.values[first * k:], self.scales[first:], k)
        options = {"GROUPS": power_of_two_from(ceil_div(k, 32)), "BLOCK_K": BLOCK_K, "HEADROOM": HEADROOM,
                   "num_warps": 4}
        return Call(fold, (rows, ceil_div(k, BLOCK_K)), args, options)
