"""Gluon kernels: Triton's lower level, where layouts, buffers and wgmma are written out. For Hopper."""

import itertools
import re
from dataclasses import asdict, dataclass

import triton
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor

from gemmtune_worker.backend import Backend, Candidate, Kernel
from gemmtune_worker.backends import gluon_kernels
from gemmtune_worker.backends.gluon_fold import Folded, folded_problem
from gemmtune_worker.backends.triton_backend import load_calls
from gemmtune_worker.backends.triton_calls import Call, OfflineDriver, dummy_operands
from gemmtune_worker.backends.triton_space import ceil_div, power_of_two_from
from gemmtune_worker.failure import unsupported
from gemmtune_worker.problem import parse_problem

REVISION = "2"
MX = ("e2m1/1x32:e2m1/1x32:bf16", "e2m1/1x32:e2m1/1x32:f16", "e2m1/1x32:e2m1/1x32:f32")
GLUON_TYPES = {"bf16": gl.bfloat16, "f16": gl.float16, "e4m3": gl.float8e4nv}
SHARED_BYTES = 232448 - 1024  # the barriers are beside the buffers
AXES = {"bm": (64, 128, 256), "bn": (32, 64, 128, 256), "bk": (64, 128), "g": (1, 8), "w": (4, 8),
        "s": (3, 4, 5, 6, 8)}


@dataclass(frozen=True)
class Params:
    bm: int
    bn: int
    bk: int
    g: int
    w: int
    s: int

    def name(self):
        return "_".join(["gluon"] + [f"{key}{value}" for key, value in asdict(self).items()])


def why_not(problem, q):
    """Why these parameters do not fit, or ''."""
    for key, value in asdict(q).items():
        if value not in AXES[key]:
            return f"{key} = {value} is not among {list(AXES[key])}"
    if q.bm % (16 * q.w):
        return f"{q.w} warps multiply at least {16 * q.w} rows with wgmma"
    if q.bm > max(64, power_of_two_from(problem.m)) or q.bn > max(32, power_of_two_from(problem.n)):
        return f"a tile of {q.bm}x{q.bn} is more than {problem.m}x{problem.n} needs"
    sums = q.bm * q.bn // (32 * q.w) * (2 if problem.a.type == "e4m3" else 1)
    if sums > 256:
        return f"a thread would keep {sums} sums, and has 255 registers"
    shared = (q.bm + q.bn) * q.bk * (1 if problem.a.type == "e4m3" else 2) * q.s
    if shared > SHARED_BYTES:
        return f"{q.s} stages take {shared} bytes of shared memory, and a program has {SHARED_BYTES}"
    if q.s > ceil_div(problem.k, q.bk) + 1:
        return f"{q.s} stages are more than the steps along K"
    return "one row of tiles is the same in any group" if q.g > 1 and problem.m <= q.bm else ""


class GluonBackend(Backend):
    family = "gluon"

    def version(self):
        return f"{triton.__version__}+{REVISION}"

    def why_not(self, problem):
        if self.device.arch != "sm90":
            return "the Gluon kernels are for Hopper (sm90)"
        scalings = {problem.a.scaling, problem.w.scaling}
        if problem.types() in MX and problem.is_plain() and problem.batch == 1:
            return "" if problem.k % 32 == 0 else f"K = {problem.k}: MXFP4 is folded in whole blocks of 32"
        plain = problem.a.type in ("bf16", "f16") and scalings == {""}
        scaled = problem.a.type == "e4m3" and scalings <= {"tensor", "row"}
        if problem.a.type != problem.w.type or not (plain or scaled):
            return f"no kernel here for {problem.types()}"
        if not problem.is_plain() or problem.batch > 1:
            return "one matrix of contiguous rows is multiplied here, without bias"
        whole = problem.k * (1 if scaled else 2) % 16
        return f"K = {problem.k}: rows do not begin at multiples of 16 bytes, as TMA wants" if whole else ""

    def candidates(self, problem):
        problem = multiplied(problem)
        found = [Params(*values) for values in itertools.product(*AXES.values())]
        found = [q for q in found if not why_not(problem, q)]
        found.sort(key=lambda q: q != _default(problem))
        return [Candidate(q.name(), tuple((key, str(value)) for key, value in asdict(q).items()),
                          is_default=q == _default(problem)) for q in found]

    def prepare(self, problem, name):
        params, inner = parse_name(name), multiplied(problem)
        if params is None or why_not(inner, params):
            raise unsupported(why_not(inner, params) if params else f"no candidate '{name}' here")
        load_calls([call_of(inner, params, dummy_operands(inner))])
        if inner is problem:
            return Kernel(lambda operands: call_of(problem, params, operands).launch())
        folded = Folded(problem, self.device.arrays.device)
        load_calls(folded.calls(dummy_operands(problem)))
        return Kernel(lambda operands: launch_folded(folded, (inner, params), operands), folded.bytes())

    def compile_job(self, problem, name):
        params = parse_name(name)
        if params is None or why_not(multiplied(problem), params):
            return None
        return compile_candidate, [problem.text, asdict(params)]


def multiplied(problem):
    """What the kernel multiplies: the problem itself, or FP8 into which MXFP4 is folded in each call."""
    return folded_problem(problem) if problem.types() in MX else problem


def launch_folded(folded, inner_params, operands):
    for call in folded.calls(operands):
        call.launch()
    call_of(*inner_params, folded.operands(operands)).launch()


def _default(problem):
    small = problem.m <= 64
    return Params(64 if small else 128, 64 if small else 128, 128 if problem.a.type == "e4m3" else 64,
                  1 if problem.m <= 128 else 8, 4 if small else 8, 4)


def parse_name(name):
    """None for a name that is no candidate's."""
    match = re.fullmatch("gluon" + "".join(rf"_{key}(\d+)" for key in AXES), name)
    params = Params(*map(int, match.groups())) if match else None
    return params if params and params.name() == name else None


def call_of(problem, q, operands):
    """The one call of a candidate."""
    kind = GLUON_TYPES[problem.a.type]
    boxes = [(operands.a, problem.m, q.bm), (operands.w, problem.n, q.bn)]
    a, w = (TensorDescriptor(x, [rows, problem.k], [problem.k, 1], [height, q.bk],
                             gl.NVMMASharedLayout.get_default_for([height, q.bk], kind)) for x, rows, height in boxes)
    fp8 = problem.a.type == "e4m3"
    scales = tuple(operands.c if x is None else x for x in (operands.a_scale, operands.w_scale))
    options = {"BLOCK_M": q.bm, "BLOCK_N": q.bn, "BLOCK_K": q.bk, "STAGES": q.s, "GROUP_M": q.g,
               "INSTRUCTION_K": 32 if fp8 else 16, "PROMOTE": fp8, "A_SCALE": problem.a.scaling,
               "W_SCALE": problem.w.scaling, "num_warps": q.w}
    grid = (ceil_div(problem.m, q.bm) * ceil_div(problem.n, q.bn), 1, 1)
    args = (a, w, operands.c, *scales, problem.m, problem.n, problem.k, problem.n)
    return Call(gluon_kernels.gemm, grid, args, options)


def compile_candidate(text, params):
    """In a process of its own, without a GPU."""
    triton.runtime.driver.set_active(OfflineDriver(["cuda", 90, 32]))
    problem = multiplied(parse_problem(text))
    call_of(problem, Params(**params), dummy_operands(problem)).compile()


def before_compiling(text, _params):
    """Once, before the processes are forked, which then share what the first kernel of a process loads and hashes."""
    problem = multiplied(parse_problem(text))
    smallest = {"bm": 64, "bn": 32, "bk": 64, "g": 1, "w": 4, "s": 3}
    compile_candidate(problem.text, smallest)


def make(device):
    return GluonBackend(device)
