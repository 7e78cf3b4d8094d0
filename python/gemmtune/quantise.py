"""Quantises tensors on their device, in one call of the library for each: the bits of gemmtune's quantiser on the host
(gemm/quantise.h), which are AITER's."""
import ctypes

import torch

from . import served
from .bound import empty_maker, on_its_device
from .library import Message, Quantisation, check, lib
from .operators import MOST_BOUND, define

FROM = {torch.float32: 1, torch.float16: 2, torch.bfloat16: 3}  # gemmtune_dtype
TO = {"e4m3": (4, torch.float8_e4m3fn), "int8": (6, torch.int8), "e2m1": (8, torch.uint8)}
SCALING = {"row": 2, "1x128": 3, "128x128": 4, "1x32": 5}  # gemmtune_scaling
BLOCKS = {"row": (1, None), "1x128": (1, 128), "128x128": (128, 128), "1x32": (1, 32)}
E4M3_LARGEST = 448.0

_bound = {}
served.when_plans_change(_bound.clear)


def _blocks(count, size):
    return 1 if size is None else -(-count // size)


def _results(x, type, scaling, rows=None):
    """Empty values and scales for the rows of x [rows, k], or for more rows, of which the last stay empty."""
    rows, k = x.shape[0] if rows is None else rows, x.shape[1]
    height, width = BLOCKS[scaling]
    values = torch.empty((rows, k // 2 if type == "e2m1" else k), dtype=TO[type][1], device=x.device)
    scale_type = torch.uint8 if scaling == "1x32" else torch.float32
    return values, torch.empty((_blocks(rows, height), _blocks(k, width)), dtype=scale_type, device=x.device)


def _bind(x, type, scaling, rows):
    """A function that quantises tensors like x, as bound.product() multiplies."""
    runtime, device = served.runtime_of(served.key_of(x.device)), x.device
    wanted = Quantisation(from_type=FROM.get(x.dtype, -1), to_type=TO[type][0], scaling=SCALING[scaling], rows=x.shape[0],
                          k=x.shape[1], leading_dimension=max(x.stride(0), x.shape[1]))
    like = [(tuple(one.shape), one.stride(), one.dtype) for one in _results(x, type, scaling, rows)]
    index, empty, enqueue = x.device.index if x.is_cuda else None, empty_maker(x.device), lib.gemmtune_quantise

    def call(x):
        values, scales = empty(*like[0]), empty(*like[1])
        stream = None if index is None else served.stream_of_index(index)
        addresses = (x.data_ptr(), values.data_ptr(), scales.data_ptr())
        if enqueue(runtime._handle, ctypes.addressof(wanted), *addresses, stream, None):
            message = Message()
            check(enqueue(runtime._handle, ctypes.addressof(wanted), *addresses, stream, ctypes.addressof(message)), message)
        return values, scales

    return on_its_device(call, device)


def _quantise(x, type, scaling, rows=None):
    key = (x.dtype, x.device, x.shape, x.stride(), type, scaling, rows)
    found = _bound.get(key)
    if found is None:
        if x.numel() == 0:
            return _results(x, type, scaling, rows)
        if x.stride(1) != 1:
            return _quantise(x.contiguous(), type, scaling, rows)
        if len(_bound) >= MOST_BOUND:
            _bound.clear()
        found = _bound[key] = _bind(x, type, scaling, rows)
    return found(x)


_operator = define("quantise(Tensor x, str type, str scaling, SymInt? rows=None) -> (Tensor, Tensor)", _quantise, _results)


def quantise(x, type, scaling, rows=None):
    """x [m, k] of bf16, fp16 or f32 as "e4m3", "int8" or "e2m1" with scales "row", "1x128", "128x128" or "1x32". With
    `rows`, results have so many rows, of which those after the first m are not set."""
    return (_operator if torch.compiler.is_compiling() else _quantise)(x, type, scaling, rows)


def quantize_mxfp4(x):
    """x [..., k], k a multiple of 32: bytes [..., k/2] with the first of two elements in the low bits, and E8M0 scales
    [..., k/32]."""
    if x.dim() == 2:
        return quantise(x, "e2m1", "1x32")
    values, scales = quantise(x.reshape(-1, x.shape[-1]), "e2m1", "1x32")
    return values.reshape(*x.shape[:-1], -1), scales.reshape(*x.shape[:-1], -1)


def quantize_fp8(x, scaling="row"):
    """x [rows, k] as e4m3 with f32 scales of each row ("row"), of each 128 of k in a row ("1x128"), of each 128 × 128
    ("128x128"), or one of the tensor ("tensor"), which torch computes."""
    if scaling != "tensor":
        return quantise(x, "e4m3", scaling)
    largest = x.abs().amax().float().reshape(1)
    scale = torch.where(largest == 0, torch.ones_like(largest), largest / E4M3_LARGEST)
    return (x.float() / scale).clamp(-E4M3_LARGEST, E4M3_LARGEST).to(torch.float8_e4m3fn), scale


def quantize_int8(x):
    """x [rows, k] as int8 with an f32 scale of each row."""
    return quantise(x, "int8", "row")
