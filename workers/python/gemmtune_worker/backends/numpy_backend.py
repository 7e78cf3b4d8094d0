"""numpy's own product, for machines without torch: the smallest backend there is, and the one that tests run."""

import numpy

from gemmtune_worker.backend import Backend, Candidate, Kernel
from gemmtune_worker.failure import unsupported

WITH_TORCH = False  # the worker's arrays are numpy's then, and it starts at once


class NumpyBackend(Backend):
    family = "numpy"

    def version(self):
        return numpy.__version__

    def why_not(self, problem):
        if self.device.kind != "cpu":
            return "numpy multiplies on the CPU"
        if problem.types() != "f32:f32:f32":
            return "numpy multiplies f32 only"
        return "" if problem.is_plain() else "only a plain product is multiplied here"

    def candidates(self, problem):
        split = [Candidate(f"numpy_split_sk{parts}", (("how", "split"), ("sk", str(parts))), split_k=parts)
                 for parts in (2, 4) if problem.k >= parts]
        return [Candidate("numpy_matmul", (("how", "matmul"),), is_default=True)] + split

    def prepare(self, problem, name):
        found = [one for one in self.candidates(problem) if one.name == name]
        if not found:
            raise unsupported(f"no candidate '{name}' here")
        parts = found[0].split_k
        return Kernel(_matmul if parts == 1 else lambda operands: _split(operands, parts))


def _matmul(operands):
    a, w, c = (numpy.asarray(x) for x in (operands.a, operands.w, operands.c))
    numpy.matmul(a, numpy.swapaxes(w, -1, -2), out=c)


def _split(operands, parts):
    a, w, c = (numpy.asarray(x) for x in (operands.a, operands.w, operands.c))
    bounds = [a.shape[-1] * i // parts for i in range(parts + 1)]
    c[...] = sum(a[..., i:j] @ numpy.swapaxes(w[..., i:j], -1, -2) for i, j in zip(bounds, bounds[1:]))


def make(device):
    return NumpyBackend(device)
