"""The parameters of the Triton kernels, which of them fit a problem, and why others do not.

The axes contain those of AITER's tuning guide. A candidate that a constraint rules out is never compiled; who asks for
it by name hears the reason.
"""

import itertools
import re
from dataclasses import asdict, dataclass, replace

KEYS = ("bm", "bn", "bk", "g", "w", "s", "k", "p", "t", "cg", "wpe", "kp", "mi")
REQUIRED = 7  # the first of the keys are in every name; the others where they are not 0


@dataclass(frozen=True)
class Params:
    """BLOCK_SIZE_M, _N, _K, GROUP_SIZE_M, num_warps, num_stages, NUM_KSPLIT; persistent, TMA; cache modifier ".cg" for
    the weights; and on AMD waves_per_eu, kpack, matrix_instr_nonkdim."""

    bm: int
    bn: int
    bk: int
    g: int = 8
    w: int = 4
    s: int = 3
    k: int = 1
    p: int = 0
    t: int = 0
    cg: int = 0
    wpe: int = 0
    kp: int = 0
    mi: int = 0

    def name(self, family="triton"):
        stated = [f"{key}{value}" for key, value in asdict(self).items() if value or key in KEYS[:REQUIRED]]
        return "_".join([family] + stated)

    def pairs(self):
        return tuple((key, str(value)) for key, value in asdict(self).items() if value or key in KEYS[:REQUIRED])


def parse_name(name, family="triton"):
    """None for a name that is no candidate's."""
    head, *rest = name.split("_")
    matches = [re.fullmatch(r"([a-z]+)(\d+)", part) for part in rest]
    if head != family or not all(matches):
        return None
    found = {match[1]: int(match[2]) for match in matches}
    if not set(found) <= set(KEYS) or not set(KEYS[:REQUIRED]) <= set(found):
        return None
    params = Params(**found)
    return params if params.name(family) == name else None


@dataclass(frozen=True)
class Limits:
    """Of a device: its units, the shared memory of a program, and which instructions it has."""

    units: int
    shared_bytes: int
    is_amd: bool
    has_tma: bool


def mode_of(problem):
    """Which kernel: dense, blockscale or mx; '' for none."""
    a, w = problem.a, problem.w
    if a.scaling == w.scaling == "1x32":
        return "mx"
    if a.type != w.type:
        return ""
    if a.type in ("e4m3", "e4m3fnuz") and (a.scaling, w.scaling) == ("1x128", "128x128"):
        return "blockscale"
    plain = a.type in ("bf16", "f16") and not (a.scaling or w.scaling)
    scaled = a.type in ("e4m3", "e4m3fnuz", "int8") and {a.scaling, w.scaling} <= {"tensor", "row"}
    return "dense" if plain or scaled else ""


def axes_of(problem, limits):
    mode = mode_of(problem)
    wide = problem.a.type in ("bf16", "f16")
    depths = {"mx": (128, 256), "blockscale": (128,)}.get(mode, (64, 128) if wide else (64, 128, 256))
    plain = mode == "dense"
    columns = (32, 64, 128, 256) if problem.n > 16 else (16,)
    return {"bm": (16, 32, 64, 128, 256), "bn": columns, "bk": depths, "g": (1, 8, 16), "w": (2, 4, 8),
            "s": (1, 2, 3, 4, 5), "k": (1, 2, 4, 8, 16), "p": (0, 1) if plain else (0,),
            "t": (0, 1) if limits.has_tma and mode != "mx" else (0,), "cg": (0, 1),
            "wpe": (2, 4, 8) if limits.is_amd else (0,), "kp": (2,) if limits.is_amd else (0,),
            "mi": (16, 32) if limits.is_amd else (0,)}


def candidates(problem, limits):
    """All that fit, in a fixed order."""
    axes, found = axes_of(problem, limits), []
    for bm, bn, bk, warps in itertools.product(axes["bm"], axes["bn"], axes["bk"], axes["w"]):
        tile = Params(bm, bn, bk, w=warps)
        if why_tile_not(problem, tile) or _why_reuse_not(problem, tile, limits):
            continue
        loops = [replace(tile, s=s, k=k) for k in axes["k"] for s in axes["s"]]
        loops = [one for one in loops if not _why_loop_not(problem, one, limits)]
        for loop, group, p, t, cg in itertools.product(loops, axes["g"], axes["p"], axes["t"], axes["cg"]):
            order = Params(bm, bn, bk, group, warps, loop.s, loop.k, p, t, cg)
            if not _why_order_not(problem, order, limits):
                found.append(order)
    amd = list(itertools.product(axes["wpe"], axes["kp"], axes["mi"]))
    return found if not limits.is_amd else [replace(one, wpe=a, kp=b, mi=c) for one in found for a, b, c in amd]


def ceil_div(count, step):
    return -(-count // step)


def power_of_two_from(count):
    return 1 << max(count - 1, 0).bit_length()


def tiles_of(problem, params):
    return ceil_div(problem.m, params.bm) * ceil_div(problem.n, params.bn) * problem.batch


def why_tile_not(problem, params):
    """The constraints that a tile alone breaks."""
    if params.bm > max(16, power_of_two_from(problem.m)):
        return f"BLOCK_SIZE_M = {params.bm} is more than M = {problem.m} needs"
    if params.bn > max(16, power_of_two_from(problem.n)):
        return f"BLOCK_SIZE_N = {params.bn} is more than N = {problem.n} needs"
    if params.bk > max(32, power_of_two_from(problem.k)):
        return f"BLOCK_SIZE_K = {params.bk} is more than K = {problem.k} needs"
    sums = params.bm * params.bn // (32 * params.w)
    if sums > 256:
        return f"a thread would keep {sums} sums, and has 255 registers"
    if sums < 8:
        return f"a thread would keep {sums} sums: too few to be worth {params.w} warps"
    if mode_of(problem) == "mx" and params.bn < 32:
        return "dot_scaled wants BLOCK_SIZE_N of at least 32"
    return ""


def why_not(problem, params, limits):
    """Why these parameters do not fit, or ''. Axes that a device does not have are no reason to compile them."""
    axes = axes_of(problem, limits)
    for key, value in asdict(params).items():
        if value not in axes[key]:
            return f"{key} = {value} is not among {list(axes[key])} for this problem on this device"
    return (why_tile_not(problem, params) or _why_reuse_not(problem, params, limits)
            or _why_loop_not(problem, params, limits) or _why_order_not(problem, params, limits))


MANY_TILES = 4  # of each unit: then larger tiles would keep all units busy, too
LEAST_REUSE = 32


def _why_reuse_not(problem, params, limits):
    reuse = params.bm * params.bn // (params.bm + params.bn)
    if reuse >= LEAST_REUSE or tiles_of(problem, params) <= MANY_TILES * limits.units:
        return ""
    return (f"a tile of {params.bm}x{params.bn} uses what it loads {reuse} times, and larger tiles keep all units "
            "busy, too")


def _why_loop_not(problem, params, limits):
    steps = ceil_div(problem.k, params.bk)
    bits = {"bf16": 16, "f16": 16, "e2m1": 4}.get(problem.a.type, 8)
    shared = (params.bm + params.bn) * params.bk * bits // 8 * max(params.s - (1 if limits.is_amd else 0), 1)
    if shared > limits.shared_bytes:
        return f"{params.s} stages take {shared} bytes of shared memory, and a program has {limits.shared_bytes}"
    if params.s > max(ceil_div(steps, params.k), 1) + 1:
        return f"{params.s} stages are more than the {ceil_div(steps, params.k)} steps along K"
    if params.k > 1 and steps < 2 * params.k:
        return f"K = {problem.k} has {steps} steps: too few to be split into {params.k}"
    if params.k > 1 and tiles_of(problem, params) * params.k > 4 * limits.units:
        return f"{tiles_of(problem, params)} tiles keep {limits.units} units busy without a split into {params.k}"
    return ""


def _why_order_not(problem, params, limits):
    tiles_m = ceil_div(problem.m, params.bm)
    if params.g > 1 and tiles_m == 1:
        return "one row of tiles is the same in any group"
    if params.g > power_of_two_from(tiles_m):
        return f"groups of {params.g} are more than the {tiles_m} rows of tiles"
    if params.p and tiles_of(problem, params) <= limits.units * problem.batch:
        return f"{tiles_of(problem, params)} tiles leave no second one for a persistent program"
    if params.p and (params.k > 1 or params.cg):
        return "persistent programs are tried without split K and cache modifier"
    return _why_no_tma(problem, params) if params.t else ""


def _why_no_tma(problem, params):
    if problem.batch > 1 or problem.layout != "nt" or problem.distances:
        return "TMA is used for one matrix of contiguous rows"
    if problem.k * (2 if problem.a.type in ("bf16", "f16") else 1) % 16:
        return f"K = {problem.k}: rows do not begin at multiples of 16 bytes, as TMA wants"
    if params.cg:
        return "TMA has no cache modifier"
    return "TMA boxes have at most 256 rows and at least 16 bytes" if max(params.bm, params.bn) > 256 else ""
