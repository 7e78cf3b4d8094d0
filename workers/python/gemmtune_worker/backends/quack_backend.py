"""QuACK, where it is installed: CUTLASS kernels in Python for bf16 and fp16, by its own choice or by its own tuner."""

import importlib.metadata

from quack.gemm_interface import gemm

from gemmtune_worker.backend import Backend, Candidate, Kernel
from gemmtune_worker.failure import unsupported

CANDIDATES = {"quack_gemm_default": False, "quack_gemm_tuned": True}


class QuackBackend(Backend):
    family = "quack"

    def version(self):
        return importlib.metadata.version("quack-kernels")

    def why_not(self, problem):
        if self.device.arch not in ("sm90", "sm100", "sm103", "sm120"):
            return "QuACK is for Hopper and Blackwell"
        if problem.types() not in ("bf16:bf16:bf16", "f16:f16:f16"):
            return f"QuACK multiplies no {problem.types()} here"
        if not problem.is_plain() or problem.batch > 1:
            return "one matrix of contiguous rows is multiplied here, without bias"
        return "" if problem.k % 8 == problem.n % 8 == 0 else "QuACK wants N and K that 8 divides"

    def candidates(self, problem):
        return [Candidate(name, (("choice", name.removeprefix("quack_gemm_")),), is_default=not tuned)
                for name, tuned in CANDIDATES.items()]

    def prepare(self, problem, name):
        if name not in CANDIDATES:
            raise unsupported(f"no candidate '{name}' here")
        tuned = CANDIDATES[name]
        return Kernel(lambda operands: gemm(operands.a[0], operands.w[0].t(), out=operands.c[0], tuned=tuned))


def make(device):
    return QuackBackend(device)
