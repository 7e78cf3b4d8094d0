"""DeepGEMM, where it is installed: the strongest peer for block-scaled FP8. It compiles with nvcc at run time."""

import deep_gemm

from gemmtune_worker.backend import Backend, Candidate, Kernel
from gemmtune_worker.failure import unsupported


def fp8_gemm_nt(operands):
    """The scales of A are brought into the order that TMA wants in each call, as a caller must."""
    a_scale = deep_gemm.get_mn_major_tma_aligned_tensor(operands.a_scale[0])
    deep_gemm.fp8_gemm_nt((operands.a[0], a_scale), (operands.w[0], operands.w_scale[0]), operands.c[0])


def bf16_gemm_nt(operands):
    deep_gemm.bf16_gemm_nt(operands.a[0], operands.w[0], operands.c[0])


CALLS = {"deepgemm_fp8_gemm_nt": ("e4m3/1x128:e4m3/128x128:bf16", fp8_gemm_nt),
         "deepgemm_bf16_gemm_nt": ("bf16:bf16:bf16", bf16_gemm_nt)}


class DeepGemmBackend(Backend):
    family = "deepgemm"

    def version(self):
        return getattr(deep_gemm, "__version__", "unknown")

    def why_not(self, problem):
        if self.device.arch != "sm90":
            return "DeepGEMM is called for Hopper (sm90) here"
        if not problem.is_plain() or problem.batch > 1:
            return "one matrix of contiguous rows is multiplied here, without bias"
        if problem.k % 128 or problem.n % 8:
            return "DeepGEMM wants K that 128 and N that 8 divides"
        return "" if self.candidates(problem) else f"DeepGEMM multiplies no {problem.types()}"

    def candidates(self, problem):
        found = [name for name, (types, call) in CALLS.items()
                 if types == problem.types() and hasattr(deep_gemm, call.__name__)]
        return [Candidate(name, (("function", name.removeprefix("deepgemm_")),), is_default=True) for name in found]

    def prepare(self, problem, name):
        if name not in [one.name for one in self.candidates(problem)]:
            raise unsupported(f"no candidate '{name}' for this problem")
        return Kernel(CALLS[name][1])


def make(device):
    return DeepGemmBackend(device)
