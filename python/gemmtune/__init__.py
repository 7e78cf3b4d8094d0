"""Runs the fastest kernel that tuning has found for each matrix multiplication. docs/python.md is the guide.

Runtime and Plan work on addresses. The functions on tensors (linear, gemm_a16w16, …) need torch and are imported when
they are first used, so that the package can be imported without it.
"""
import importlib

from .library import Error, lib
from .runtime import Info, Plan, Runtime, parse_problem
from .tune import tune

__version__ = lib.gemmtune_version().decode()

ON_TENSORS = {
    "served": ("lookup", "open_runtime"),
    "torch_ops": ("gemm_a16w16", "gemm_a16w4", "gemm_a16w4_fp8", "gemm_a16w4_nvfp4", "gemm_a16w8",
                  "gemm_a16w8_blockscale", "gemm_a4w4", "gemm_a8w4", "gemm_a8w4_fp8", "gemm_a8w4_nvfp4", "gemm_a8w8",
                  "gemm_a8w8_blockscale", "gemm_a8wq4", "gemm_a8wq8", "linear", "nvfp4_scales"),
    "quantise": ("quantize_fp8", "quantize_int8", "quantize_mxfp4"),
    "shuffle": ("shuffle_scale", "shuffle_weight", "unshuffle_scale", "unshuffle_weight"),
    "nn": ("Linear", "patch"),
}
__all__ = ["Error", "Info", "Plan", "Runtime", "parse_problem", "tune"] + [name for names in ON_TENSORS.values() for name in names]


def __getattr__(name):
    for module, names in ON_TENSORS.items():
        if name in names:
            found = globals()[name] = getattr(importlib.import_module(f"{__name__}.{module}"), name)
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
