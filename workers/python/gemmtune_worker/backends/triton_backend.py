"""Our own Triton kernels, on NVIDIA and AMD GPUs, and on a CPU by Triton's interpreter (TRITON_INTERPRET=1)."""

import os
from dataclasses import asdict

import torch
import triton

from gemmtune_worker.backend import Backend, Candidate, Kernel
from gemmtune_worker.backends import triton_space as space
from gemmtune_worker.backends.triton_calls import Calls, OfflineDriver
from gemmtune_worker.failure import CandidateFailed, unsupported
from gemmtune_worker.problem import parse_problem

REVISION = "2"  # of the kernels: trials of different revisions are not mixed
MOST_ELEMENTS = 1 << 31  # of a matrix: indices along a row are 32 bits wide
INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"


def limits_of(device):
    if device.kind == "cpu":
        return space.Limits(device.cu_num, 1 << 17, is_amd=False, has_tma=True)
    found = torch.cuda.get_device_properties(device.index)
    shared = getattr(found, "shared_memory_per_block_optin", found.shared_memory_per_block)
    is_amd = device.kind == "hip"
    return space.Limits(device.cu_num, shared, is_amd, has_tma=not is_amd and found.major >= 9)


class TritonBackend(Backend):
    family = "triton"

    def __init__(self, device):
        super().__init__(device)
        self.limits, self.listed = limits_of(device), {}
        warp = 64 if self.limits.is_amd else 32
        arch = device.arch if self.limits.is_amd else int(device.arch[2:] if device.kind == "cuda" else 0)
        self.target = ("hip" if self.limits.is_amd else "cuda", arch, warp)

    def version(self):
        return f"{triton.__version__}+{REVISION}"

    def why_not(self, problem):
        if self.device.kind == "cpu" and not INTERPRETED:
            return "Triton needs a GPU (or TRITON_INTERPRET=1)"
        mode = space.mode_of(problem)
        if not mode:
            return f"no kernel here for {problem.types()}"
        if problem.a.type == "e4m3fnuz" and not self.limits.is_amd:
            return "e4m3fnuz is AMD's"
        if problem.residual or problem.activation:
            return "no kernel here has a residual or an activation"
        if mode != "dense" and not (problem.is_plain() and problem.batch == 1):
            return "kernels with block scales take one matrix of contiguous rows, without bias"
        largest = max(m.elements() for m in (problem.stored_a(), problem.stored_w(), problem.stored_c()))
        return "" if largest < MOST_ELEMENTS else "a matrix has more than 2^31 elements"

    def candidates(self, problem):
        if problem.text not in self.listed:
            found, default = space.candidates(problem, self.limits), default_of(problem, self.limits)
            if default in found:
                found.remove(default)
                found.insert(0, default)
            self.listed = {problem.text: [Candidate(one.name(), one.pairs(), one.k, one == default) for one in found]}
        return self.listed[problem.text]

    def prepare(self, problem, name):
        calls = Calls(problem, self._params(problem, name), self.limits.units)
        size = calls.partial_size()
        partial = torch.empty(size, dtype=calls.partial_type, device=self.device.arrays.device) if size else None
        if not INTERPRETED:
            load_calls(calls.of(*calls.dummies()))
        launch = lambda operands: [call.launch() for call in calls.of(operands, partial)]
        return Kernel(launch, workspace_bytes=4 * size)

    def compile_job(self, problem, name):
        params = space.parse_name(name)
        if INTERPRETED or params is None or space.why_not(problem, params, self.limits):
            return None
        alike = {**asdict(params), "g": 1, "k": min(params.k, 2)}  # these share their code: it is compiled once
        return compile_candidate, [problem.text, alike, self.limits.units, list(self.target)]

    def _params(self, problem, name):
        params = space.parse_name(name)
        if params is None:
            raise unsupported(f"no candidate '{name}' here")
        why_not = space.why_not(problem, params, self.limits)
        if why_not:
            raise unsupported(why_not)
        return params


def load_calls(calls):
    """Compiles, or finds what was compiled ahead, and loads it: a kernel that needs too much fails here."""
    for call in calls:
        compiled = call.compile()
        try:
            compiled._init_handles()
        except triton.runtime.errors.OutOfResources as error:
            raise CandidateFailed("launch_failed", str(error)) from error


def compile_candidate(text, params, units, target):
    """In a process of its own, without a GPU: what is compiled is in Triton's cache then."""
    triton.runtime.driver.set_active(OfflineDriver(target))
    calls = Calls(parse_problem(text), space.Params(**params), units)
    for call in calls.of(*calls.dummies()):
        call.compile()


def before_compiling(text, params, units, target):
    """Once, before the processes are forked: a small kernel, the sum of partial sums. Triton hashes itself for the first
    kernel of a process, and loads libraries, which takes longer than a kernel does."""
    triton.runtime.driver.set_active(OfflineDriver(target))
    calls = Calls(parse_problem(text), space.Params(**{**params, "k": 2}), units)
    calls.of(*calls.dummies())[-1].compile()


def default_of(problem, limits):
    """What a careful user would take without tuning."""
    mode, small = space.mode_of(problem), problem.m <= 64
    bm = min(max(16, space.power_of_two_from(problem.m)), 128)
    bn = min(max(16, space.power_of_two_from(problem.n)), 64 if small else 128)
    bk = 64 if problem.a.type in ("bf16", "f16") else 128
    tuned = {"wpe": 2, "kp": 2, "mi": 16} if limits.is_amd else {}
    for warps, stages, group in ((4, 4, 8), (4, 3, 8), (4, 3, 1), (4, 2, 1), (2, 2, 1), (2, 1, 1), (4, 1, 1)):
        params = space.Params(bm, max(bn, 32) if mode == "mx" else bn, bk, group, warps, stages, **tuned)
        if not space.why_not(problem, params, limits):
            return params
    return None


def make(device):
    return TritonBackend(device)
