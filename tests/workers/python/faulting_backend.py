"""Triton kernels for a GPU, one of which writes to an address that is not there, and one that never ends."""

import torch
import triton
import triton.language as tl

from gemmtune_worker.backend import Backend, Candidate, Kernel


@triton.jit
def fault(c):
    tl.store(c + (1 << 40), 1.0)


@triton.jit
def spin(c):
    while tl.load(c, volatile=True) != 123.0:
        pass


KERNELS = {"faulting_right": lambda o: torch.matmul(o.a, o.w.transpose(1, 2), out=o.c),
           "faulting_address": lambda o: fault[(1,)](o.c),
           "faulting_hangs": lambda o: spin[(1,)](o.c)}


class FaultingBackend(Backend):
    family = "faulting"

    def version(self):
        return "1"

    def why_not(self, problem):
        return "" if problem.types() == "f32:f32:f32" else "only f32 faults here"

    def candidates(self, problem):
        return [Candidate(name) for name in KERNELS]

    def prepare(self, problem, name):
        return Kernel(KERNELS[name])


def make(device):
    return FaultingBackend(device)
