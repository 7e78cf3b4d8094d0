"""Kernels on the CPU that pack their weights, some with a fault, behind the ordinary worker:
python3 -m gemmtune_worker packing_backend.py"""

import time

import numpy

from gemmtune_worker.backend import Backend, Candidate, Kernel
from gemmtune_worker.failure import unsupported

WITH_TORCH = False
SLOW_S = 0.05


def transposed(o):
    packed = numpy.ascontiguousarray(numpy.swapaxes(o.w, -1, -2))
    return packed, packed.nbytes


def multiply(o):
    numpy.matmul(o.a, o.packed, out=o.c)


def multiply_unpacked(o):
    numpy.matmul(o.a, numpy.swapaxes(o.w, -1, -2), out=o.c)


def slow(o):
    time.sleep(SLOW_S)
    return transposed(o)


class SlowAtFirst:
    """As a library that compiles when it packs for the first time."""

    def __init__(self):
        self.is_compiled = False

    def __call__(self, o):
        if not self.is_compiled:
            time.sleep(10 * SLOW_S)
        self.is_compiled = True
        return transposed(o)


def forgets_a_column(o):
    packed, size = transposed(o)
    packed[:, :, -1] = 0
    return packed, size


class ChangesWeights:
    """After it packed them. Not the first time, or it would pack what it changed."""

    def __init__(self):
        self.calls = 0

    def __call__(self, o):
        self.calls += 1
        packed, size = transposed(o)
        if self.calls > 1:
            o.w[0, 0, 0] += 1
        return packed, size


def declines_zeros(o):
    if (o.w == 0).all(-1).any():
        raise unsupported("a row of the weights is zero")
    return transposed(o)


def declines(o):
    raise unsupported("no weights are good enough")


def raises(o):
    raise ValueError("no room\nfor packed weights")


class Wears:
    """Damages its packed weights, after as many launches as the first checks need."""

    def __init__(self):
        self.launches = 0

    def __call__(self, o):
        multiply(o)
        self.launches += 1
        if self.launches > 8:
            o.packed[:, :, 0] = 0


KERNELS = {"packing_transposed": lambda: Kernel(multiply, pack=transposed),
           "packing_unpacked": lambda: Kernel(multiply_unpacked),
           "packing_slow": lambda: Kernel(multiply, pack=slow),
           "packing_slow_at_first": lambda: Kernel(multiply, pack=SlowAtFirst()),
           "packing_forgets_a_column": lambda: Kernel(multiply, pack=forgets_a_column),
           "packing_changes_weights": lambda: Kernel(multiply, pack=ChangesWeights()),
           "packing_wears": lambda: Kernel(Wears(), pack=transposed),
           "packing_wants_w": lambda: Kernel(multiply_unpacked, pack=transposed),
           "packing_declines_zeros": lambda: Kernel(multiply, pack=declines_zeros),
           "packing_declines": lambda: Kernel(multiply, pack=declines),
           "packing_raises": lambda: Kernel(multiply, pack=raises)}


class PackingBackend(Backend):
    family = "packing"

    def version(self):
        return "1"

    def why_not(self, problem):
        if problem.types() != "f32:f32:f32":
            return "only f32 is packed here"
        return "" if problem.is_plain() else "only a plain product is multiplied here"

    def candidates(self, problem):
        return [Candidate(name) for name in (list(KERNELS)[:2] if problem.packed else ["packing_unpacked"])]

    def prepare(self, problem, name):
        if name not in KERNELS:
            raise unsupported(f"no candidate '{name}' here")
        return KERNELS[name]()


def make(device):
    return PackingBackend(device)
