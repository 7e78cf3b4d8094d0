"""The vocabulary of arrays.py for torch, on any of its devices. For torch 1.13 and newer."""

import contextlib

import torch

from gemmtune_worker.arrays import CHUNK_ON_GPU, CHUNK_ON_HOST


class TorchArrays:
    kinds = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "i64": torch.int64, "i32": torch.int32,
             "i16": torch.int16, "i8": torch.int8, "u8": torch.uint8, "bool": torch.bool}

    def __init__(self, device):
        self.device = torch.device(device)
        self.chunk = CHUNK_ON_HOST if self.device.type == "cpu" else CHUNK_ON_GPU

    def arange(self, count):
        return torch.arange(count, dtype=torch.int64, device=self.device)

    def full(self, shape, value, kind):
        return torch.full(shape, value, dtype=self.kinds[kind], device=self.device)

    def aligned_bytes(self, count):
        raw = torch.empty(count + 256, dtype=torch.uint8, device=self.device)
        skipped = -raw.data_ptr() % 256
        return raw[skipped:skipped + count]

    def array(self, values, kind):
        return torch.as_tensor(values, device=self.device).to(self.kinds[kind])

    def cast(self, x, kind):
        return x.to(self.kinds[kind])

    def bits_as(self, x, kind):
        return x.view(self.kinds[kind])

    def strided(self, x, shape, strides):
        return torch.as_strided(x, shape, strides, x.storage_offset())

    def bytes_of(self, x):
        return x.contiguous().reshape(-1).view(torch.uint8)

    def contiguous(self, x):
        return x.contiguous()

    def pad(self, x, rows, columns):
        return torch.nn.functional.pad(x, (0, columns - x.shape[1], 0, rows - x.shape[0]))

    def max_over(self, x, axes):
        return torch.amax(x, dim=axes)

    def clip(self, x, low, high):
        return torch.clamp(x, low, high)

    def repeat(self, x, times, axis):
        return torch.repeat_interleave(x, times, dim=axis)

    def norm(self, x):
        return torch.sqrt((x * x).sum(dim=-1))

    def transpose(self, x):
        return x.transpose(-1, -2)

    def numbers(self, scalars):
        """One transfer for all of them."""
        return torch.stack([torch.as_tensor(x, device=self.device).to(torch.float64) for x in scalars]).tolist()

    def same(self, x, y):
        return bool(torch.eq(x, y).all())

    def host(self, x):
        return x.cpu().numpy()

    def quiet(self):
        return contextlib.nullcontext()

    def where(self, condition, x, y):
        """One of x and y may be a number, which takes the other's type."""
        if not torch.is_tensor(x):
            x = torch.as_tensor(x, dtype=y.dtype, device=self.device)
        if not torch.is_tensor(y):
            y = torch.as_tensor(y, dtype=x.dtype, device=self.device)
        return torch.where(condition, x, y)

    def maximum(self, x, y):
        return torch.clamp(x, min=y) if not torch.is_tensor(y) else torch.maximum(x, y)

    def minimum(self, x, y):
        return torch.clamp(x, max=y) if not torch.is_tensor(y) else torch.minimum(x, y)

    def concatenate(self, parts, axis=0):
        return torch.cat(list(parts), dim=axis)

    def stack(self, parts, axis=0):
        return torch.stack(list(parts), dim=axis)

    sqrt, isnan, isinf, isfinite = (staticmethod(f) for f in (torch.sqrt, torch.isnan, torch.isinf, torch.isfinite))
    tanh, exp, matmul, erf = (staticmethod(f) for f in (torch.tanh, torch.exp, torch.matmul, torch.erf))
    signbit, log2, floor, exp2 = (staticmethod(f) for f in (torch.signbit, torch.log2, torch.floor, torch.exp2))
