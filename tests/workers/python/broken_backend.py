"""Kernels on the CPU with one fault each, behind the ordinary worker: python3 -m gemmtune_worker broken_backend.py"""

import os

import numpy

from gemmtune_worker.backend import Backend, Candidate, Kernel
from gemmtune_worker.failure import unsupported

WITH_TORCH = False


def right(o):
    numpy.matmul(o.a, numpy.swapaxes(o.w, -1, -2), out=o.c)


def zeroed_row(o):
    right(o)
    o.c[:, -1] = 0


def wrong_scale(o):
    right(o)
    o.c[...] *= 1.01


def missing_column(o):
    numpy.matmul(o.a, numpy.swapaxes(o.w[:, :-1], -1, -2), out=o.c[:, :, :-1])


def after_the_end(o):
    right(o)
    _beside(o.c, o.c.size)[0] = 1.0


def before_the_start(o):
    right(o)
    _beside(o.c, -1)[0] = 1.0


def changes_input(o):
    right(o)
    o.w[0, 0, 0] += 1


def raises(_):
    raise ValueError("the first line\nthe last line")


def prints(o):
    print("a line from Python")
    os.write(1, b"a line from a library\n")
    right(o)


class Remembers:
    """Computes once for each address, and copies that from then on."""

    def __init__(self):
        self.known = {}

    def __call__(self, o):
        at = o.a.ctypes.data
        if at not in self.known:
            right(o)
            self.known[at] = o.c.copy()
        o.c[...] = self.known[at]


class OnlyFirstSet:
    """Right on one operand set alone."""

    def __init__(self):
        self.at = None

    def __call__(self, o):
        self.at = self.at or o.a.ctypes.data
        right(o)
        if o.a.ctypes.data != self.at:
            o.c[:, 0] = 0


class Tires:
    """Right for more launches than checks and a turn need."""

    def __init__(self):
        self.left = 2000

    def __call__(self, o):
        self.left -= 1
        if self.left < 0:
            raise RuntimeError("it is tired")
        right(o)


def nothing(_):
    pass


def dies(_):
    os._exit(3)


KERNELS = {"broken_right": lambda: right, "broken_zeroed_row": lambda: zeroed_row,
           "broken_wrong_scale": lambda: wrong_scale, "broken_missing_column": lambda: missing_column,
           "broken_after_the_end": lambda: after_the_end, "broken_before_the_start": lambda: before_the_start,
           "broken_changes_input": lambda: changes_input, "broken_raises": lambda: raises,
           "broken_prints": lambda: prints, "broken_remembers": Remembers, "broken_only_first_set": OnlyFirstSet,
           "broken_nothing": lambda: nothing, "broken_dies": lambda: dies, "broken_tires": Tires}


def _beside(c, elements):
    """Memory outside of C."""
    return numpy.lib.stride_tricks.as_strided(numpy.ctypeslib.as_array(
        (numpy.ctypeslib.ctypes.c_float * 1).from_address(c.ctypes.data + 4 * elements)), (1,), (4,))


class BrokenBackend(Backend):
    family = "broken"

    def version(self):
        return "1"

    def why_not(self, problem):
        return "" if problem.types() == "f32:f32:f32" else "only f32 is broken here"

    def candidates(self, problem):
        return [Candidate(name) for name in KERNELS]

    def prepare(self, problem, name):
        if name == "broken_raises_early":
            raise TypeError("no such\nkernel")
        if name not in KERNELS:
            raise unsupported(f"no candidate '{name}' here")
        return Kernel(KERNELS[name]())


def make(device):
    return BrokenBackend(device)
