"""How the Triton kernels are called for a problem and its parameters: once to compile, and then to launch."""

from dataclasses import dataclass

import torch
import triton

from gemmtune_worker.backends import triton_kernels as kernels
from gemmtune_worker.backends.triton_space import ceil_div, mode_of, tiles_of
from gemmtune_worker.workload import Operands

REDUCED_ROWS, REDUCED_COLUMNS = 16, 128  # the tile of reduce_splits
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "int8": torch.int8, "e2m1": torch.uint8,
         "e4m3": getattr(torch, "float8_e4m3fn", torch.uint8),
         "e4m3fnuz": getattr(torch, "float8_e4m3fnuz", torch.uint8)}


@dataclass(frozen=True)
class Call:
    """One launch of a kernel: `kernel[grid](*args, **options)`."""

    kernel: object
    grid: tuple
    args: tuple
    options: dict

    def launch(self):
        self.kernel[self.grid](*self.args, **self.options)

    def compile(self):
        return self.kernel.warmup(*self.args, grid=self.grid, **self.options)


class Calls:
    """The calls of one candidate, for any operands."""

    def __init__(self, problem, params, units):
        self.problem, self.params, self.units, self.mode = problem, params, units, mode_of(problem)
        split = params.k > 1
        self.k_of_split = ceil_div(ceil_div(problem.k, params.bk), params.k) * params.bk if split else problem.k
        self.partial_type = torch.int32 if problem.a.type == "int8" else torch.float32

    def partial_size(self):
        """Elements of partial sums."""
        p = self.problem
        return 0 if self.params.k == 1 else self.params.k * p.batch * p.m * p.n

    def of(self, operands, partial):
        """The calls in their order."""
        out = operands.c if partial is None else partial
        found = [{"dense": self._dense, "blockscale": self._blockscale, "mx": self._mx}[self.mode](operands, out)]
        return found if partial is None else found + [self._reduce(operands, partial)]

    def dummies(self):
        """Operands of the right types, from which a compiler learns all that it needs, and partial sums."""
        return dummy_operands(self.problem), torch.empty(64, dtype=self.partial_type) if self.params.k > 1 else None

    def _order(self):
        return self.k_of_split, self.params.g

    def _options(self):
        q = self.params
        amd = {"waves_per_eu": q.wpe, "kpack": q.kp, "matrix_instr_nonkdim": q.mi} if q.mi else {}
        return {"BLOCK_M": q.bm, "BLOCK_N": q.bn, "BLOCK_K": q.bk, "SPLIT": q.k > 1,
                "EVEN_K": self.problem.k % q.bk == 0, "CACHE": ".cg" if q.cg else "", "num_warps": q.w,
                "num_stages": q.s, **amd}

    def _grid(self):
        tiles = tiles_of(self.problem, self.params) // self.problem.batch
        programs = min(tiles, self.units) if self.params.p else tiles
        return programs, self.params.k, self.problem.batch

    def _inputs(self, operands):
        """A and W, as pointers or as descriptors of the boxes that TMA fetches."""
        p, q = self.problem, self.params
        if not q.t:
            return operands.a, operands.w
        from triton.tools.tensor_descriptor import TensorDescriptor
        return (TensorDescriptor(operands.a, [p.m, p.k], [p.k, 1], [q.bm, q.bk]),
                TensorDescriptor(operands.w, [p.n, p.k], [p.k, 1], [q.bn, q.bk]))

    def _epilogue(self, operands):
        """The pointers of scales and bias, where C stands for those that are not read, and what says so."""
        p = self.problem
        pointers = tuple(operands.c if x is None else x for x in (operands.a_scale, operands.w_scale, operands.bias))
        if self.mode != "dense":
            return pointers, {"A_SCALE": "", "W_SCALE": "", "BIAS": False}
        return pointers, {"A_SCALE": p.a.scaling, "W_SCALE": p.w.scaling, "BIAS": p.bias}

    def _dense(self, operands, out):
        p, q, c = self.problem, self.params, self.problem.stored_c()
        pointers, epilogue = self._epilogue(operands)
        strides = _strides(p.stored_a(), p.layout[0] == "n") + _strides(p.stored_w(), p.layout[1] == "t")
        fp8 = p.a.type in ("e4m3", "e4m3fnuz")
        options = {**self._options(), **epilogue, "PERSISTENT": bool(q.p), "TMA": bool(q.t),
                   "IMPRECISE": min(q.bk, 128) if fp8 else None, "INTEGER": p.a.type == "int8"}
        args = (*self._inputs(operands), out, *pointers, p.m, p.n, p.k, *strides, c.stride, c.leading, *self._order())
        return Call(kernels.dense, self._grid(), args, options)

    def _blockscale(self, operands, out):
        p = self.problem
        args = (*self._inputs(operands), out, operands.a_scale, operands.w_scale, p.m, p.n, p.k, p.n, *self._order())
        return Call(kernels.blockscale, self._grid(), args, {**self._options(), "TMA": bool(self.params.t)})

    def _mx(self, operands, out):
        p = self.problem
        args = (operands.a, operands.w, out, operands.a_scale, operands.w_scale, p.m, p.n, p.k, p.n, *self._order())
        return Call(kernels.mx, self._grid(), args, self._options())

    def _reduce(self, operands, partial):
        p, c = self.problem, self.problem.stored_c()
        pointers, epilogue = self._epilogue(operands)
        grid = (ceil_div(p.m, REDUCED_ROWS), ceil_div(p.n, REDUCED_COLUMNS), p.batch)
        options = {"BLOCK_M": REDUCED_ROWS, "BLOCK_N": REDUCED_COLUMNS, "num_warps": 4, **epilogue}
        args = (partial, operands.c, *pointers, p.m, p.n, c.stride, c.leading, self.params.k)
        return Call(kernels.reduce_splits, grid, args, options)


def dummy_operands(problem):
    empty = lambda kind: torch.empty(64, dtype=kind)
    scales = [None if not side.scaling else empty(torch.uint8 if side.scaling == "1x32" else torch.float32)
              for side in (problem.a, problem.w)]
    return Operands(empty(TYPES[problem.a.type]), scales[0], empty(TYPES[problem.w.type]), scales[1],
                    empty(TYPES[problem.out]) if problem.bias else None, None, empty(TYPES[problem.out]))


def _strides(matrix, is_row_major):
    """Of the batch, of the row and along K, in elements."""
    both = (matrix.leading, 1) if is_row_major else (1, matrix.leading)
    return (matrix.stride, *both)


class OfflineDriver:
    """Stands for a GPU's driver where kernels are compiled and not launched."""

    def __init__(self, target):
        self.target = triton.backends.compiler.GPUTarget(*target)

    def get_current_target(self):
        return self.target

    def get_current_device(self):
        return 0

    def get_current_stream(self, _device):
        return 0
