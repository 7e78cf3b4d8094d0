"""What torch offers: the row that every comparison falls back to. Its own choice of kernels, as a user gets it."""

import torch

from gemmtune_worker.backend import Backend, Candidate, Kernel
from gemmtune_worker.failure import unsupported

TORCH_TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


# Each of these takes a problem and gives its launch.


def mm(problem):
    if problem.batch > 1:
        return lambda o: torch.bmm(o.a, o.w.transpose(1, 2), out=o.c)
    return lambda o: torch.mm(o.a[0], o.w[0].t(), out=o.c[0])


def linear(problem):
    if problem.bias:
        return lambda o: o.c[0].copy_(torch.nn.functional.linear(o.a[0], o.w[0], o.bias))
    return lambda o: o.c[0].copy_(torch.nn.functional.linear(o.a[0], o.w[0]))


def addmm(problem):
    return lambda o: torch.addmm(o.bias, o.a[0], o.w[0].t(), out=o.c[0])


def scaled_mm(problem, fast=False):
    """torch wants the scales of rows as columns, and block scales of A with M contiguous."""
    out = TORCH_TYPES[problem.out]
    if problem.a.scaling == "tensor":
        scales = lambda o: (o.a_scale.reshape(()), o.w_scale.reshape(()))
    elif problem.a.scaling == "row":
        scales = lambda o: (o.a_scale[0], o.w_scale[0].t())
    else:
        scales = lambda o: (o.a_scale[0].t().contiguous().t(), o.w_scale[0].t())

    def launch(o):
        a_scale, w_scale = scales(o)
        torch._scaled_mm(o.a[0], o.w[0].t(), a_scale, w_scale, out_dtype=out, use_fast_accum=fast, out=o.c[0])
    return launch


def scaled_mm_fast(problem):
    return scaled_mm(problem, fast=True)


def int_mm(problem):
    """The product in int32, and the scales after it: what a call costs without a kernel of one's own."""
    by_row = problem.w.scaling == "row"

    def launch(o):
        w_scale = o.w_scale[0].t() if by_row else o.w_scale[0]
        o.c[0].copy_(torch._int_mm(o.a[0], o.w[0].t()).to(torch.float32) * o.a_scale[0] * w_scale)
    return launch


FUNCTIONS = {"torch_mm": mm, "torch_linear": linear, "torch_addmm": addmm, "torch_scaled_mm": scaled_mm,
             "torch_scaled_mm_fast": scaled_mm_fast, "torch_int_mm": int_mm}


class TorchBackend(Backend):
    family = "torch"

    def version(self):
        return torch.__version__

    def why_not(self, problem):
        if problem.activation or problem.residual:
            return "torch has no such epilogue in one call"
        return self._functions(problem)[1]

    def candidates(self, problem):
        return [Candidate(name, (("function", name[6:]),), is_default=number == 0)
                for number, name in enumerate(self._functions(problem)[0])]

    def prepare(self, problem, name):
        names, why_not = self._functions(problem)
        if name not in names:
            raise unsupported(why_not or f"no candidate '{name}' for this problem")
        return Kernel(FUNCTIONS[name](problem))

    def _functions(self, problem):
        """The names of the functions that take this problem, or why there is none."""
        types = (problem.a.type, problem.w.type)
        if types[0] == types[1] and types[0] in TORCH_TYPES and not (problem.a.scaling or problem.w.scaling):
            return self._plain(problem)
        if problem.bias or problem.batch > 1 or problem.distances or problem.layout != "nt":
            return [], "torch's scaled products take one matrix of contiguous rows, without bias"
        return self._scaled(problem, types)

    def _plain(self, problem):
        if problem.out != problem.a.type:
            return [], "torch's products have the type of their operands"
        if problem.bias:
            return (["torch_addmm", "torch_linear"], "") if problem.batch == 1 else ([], "no batched product with bias")
        return (["torch_mm", "torch_linear"] if problem.batch == 1 else ["torch_mm"]), ""

    def _scaled(self, problem, types):
        scalings = (problem.a.scaling, problem.w.scaling)
        if types == ("int8", "int8"):
            return self._int8(problem, scalings)
        if self.device.kind == "cpu" or types not in (("e4m3", "e4m3"), ("e4m3fnuz", "e4m3fnuz")):
            return [], f"torch multiplies no {problem.a} by {problem.w} on this device"
        if scalings not in (("tensor", "tensor"), ("row", "row"), ("1x128", "128x128")):
            return [], f"torch multiplies no {problem.a} by {problem.w}"
        if problem.k % 16 or problem.n % 16:
            return [], "_scaled_mm wants N and K that 16 divides"
        if problem.out == "f32" or (scalings[0] != "tensor" and problem.out != "bf16"):
            return [], "_scaled_mm writes bf16 here"
        if scalings[0] == "1x128" and (problem.m % 4 or problem.k % 128):
            return [], "_scaled_mm with block scales wants M that 4 and K that 128 divides"
        return ["torch_scaled_mm"] + (["torch_scaled_mm_fast"] if scalings[0] != "1x128" else []), ""

    def _int8(self, problem, scalings):
        if not hasattr(torch, "_int_mm"):
            return [], "this torch has no _int_mm"
        if any(scaling not in ("tensor", "row") for scaling in scalings):
            return [], f"torch multiplies no {problem.a} by {problem.w}"
        if self.device.kind != "cpu" and (problem.m <= 16 or problem.k % 8 or problem.n % 8):
            return [], "_int_mm wants M above 16, and K and N that 8 divides"
        return ["torch_int_mm"], ""


def make(device):
    return TorchBackend(device)
