"""A kernel that packs its weights, on any of torch's devices: the example of docs/python-workers.md."""

import torch

from gemmtune_worker.backend import Backend, Candidate, Kernel


def pack(o):
    packed = o.w.transpose(1, 2).contiguous()
    return packed, packed.nbytes


def launch(o):
    torch.matmul(o.a, o.packed, out=o.c)


class PackingTorchBackend(Backend):
    family = "packing_torch"

    def version(self):
        return torch.__version__

    def why_not(self, problem):
        types_fit = problem.types() == "bf16:bf16:bf16" and problem.is_plain()
        return "" if types_fit and problem.packed else "only packed bf16 is multiplied here"

    def candidates(self, problem):
        return [Candidate("packing_torch_transposed")]

    def prepare(self, problem, name):
        return Kernel(launch, pack=pack)


def make(device):
    return PackingTorchBackend(device)
