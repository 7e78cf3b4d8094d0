"""What a recipe makes of the drawn values: see "Recipes" and "Wide rows" in workers/PROTOCOL.md."""

from dataclasses import dataclass

from gemmtune_worker.counter import BLOCK_STREAM, GROUP_STREAM, ROW_STREAM, Counter, remainder, shifted
from gemmtune_worker.formats import power_of_two

RECIPES = ("gaussian", "one_sign", "wide_exponents", "zero_blocks", "wide_rows", "nan_inf", "nan_scales")
WIDE = ("f32", "tf32", "bf16")
HAS_NAN = WIDE + ("f16", "e4m3", "e4m3fnuz")
HAS_INFINITY = WIDE + ("f16",)
BLOCK = 32


def ceil_div(count, step):
    return -(-count // step)


@dataclass(frozen=True)
class RowSpread:
    """By which powers of two wide_rows multiplies the rows of one operand."""

    shift: int
    reach: int
    depth: int
    rows_of_matrix: int
    rows_of_group: int

    def groups(self, rows):
        of_matrix = ceil_div(self.rows_of_matrix, self.rows_of_group)
        return rows // self.rows_of_matrix * of_matrix + rows % self.rows_of_matrix // self.rows_of_group


def _reach_and_depth(side):
    if side.scaling == "1x32":
        return 48, 0
    if side.type in WIDE:
        return (0, 0) if side.has_scales() else (30, 0)
    deep = 4 if side.type == "int8" else 8
    by_scaling = {"tensor": (0, deep), "128x128": (30, deep), "row": (30, 0), "1x128": (30, 0)}
    return by_scaling.get(side.scaling, (10, 0) if side.type == "f16" else (5, 0))


def most_shift(problem):
    a, w = problem.a, problem.w
    if a.scaling == "1x32" and w.scaling == "1x32":
        return 60
    narrow = all(s.has_scales() and s.scaling != "1x32" and s.type not in WIDE for s in (a, w))
    return 20 if narrow and "tensor" in (a.scaling, w.scaling) else 0


def row_spread(problem, tensor, seed):
    side, rows = (problem.a, problem.m) if tensor == "a" else (problem.w, problem.n)
    reach, depth = _reach_and_depth(side)
    shift = most_shift(problem) * (0, 1, -1)[seed % 3]
    return RowSpread(shift if tensor == "a" else -shift, min(reach, 5) if problem.out == "f16" else reach, depth, rows,
                     128 if side.scaling == "128x128" else 1)


def ordeals(problem):
    """What stage prove checks: recipes, and what is added to the seed."""
    listed = [("one_sign", 0), ("wide_exponents", 0), ("zero_blocks", 0)]
    listed += [("wide_rows", after) for after in range(3 if most_shift(problem) else 1)]
    listed += [("nan_inf", 0)] if {problem.a.type, problem.w.type} & set(HAS_NAN) else []
    listed += [("nan_scales", 0)] if "1x32" in (problem.a.scaling, problem.w.scaling) else []
    return listed + [("gaussian", 1)]


class OperandDraw:
    """The values of A or the weights as rows of f32, batches one below the other."""

    def __init__(self, arrays, problem, tensor, recipe, seed):
        self.arrays, self.recipe, self.k = arrays, recipe, problem.k
        self.rows = problem.batch * (problem.m if tensor == "a" else problem.n)
        self.counter = Counter(seed, tensor)
        self.spread = row_spread(problem, tensor, seed)

    def draw(self, first, count):
        indices = self.arrays.arange(count * self.k) + first * self.k
        values = self.counter.gaussian(self.arrays, indices).reshape(count, self.k)
        if self.recipe == "one_sign":
            return abs(values)
        if self.recipe == "wide_rows":
            return values * self._row_factors(first, count)[:, None]
        return self._scaled_blocks(values, first) if self.recipe in ("wide_exponents", "zero_blocks") else values

    def _row_factors(self, first, count):
        rows = self.arrays.arange(count) + first
        spread = self.spread
        above = remainder(self.counter.bits(spread.groups(rows), GROUP_STREAM), 2 * spread.reach + 1) - spread.reach
        below = remainder(self.counter.bits(rows, ROW_STREAM), spread.depth + 1)
        return power_of_two(self.arrays, above - below + spread.shift)

    def _scaled_blocks(self, values, first):
        arrays, blocks = self.arrays, ceil_div(self.k, BLOCK)
        numbers = arrays.arange(values.shape[0] * blocks) + first * blocks
        drawn = self.counter.bits(numbers, BLOCK_STREAM).reshape(values.shape[0], blocks)
        if self.recipe == "wide_exponents":
            factors = power_of_two(arrays, remainder(drawn, 25) - 12)
            return values * arrays.repeat(factors, BLOCK, 1)[:, :self.k]
        zero = (remainder(drawn, 4) == 0) | self._zero_rows(first, values.shape[0])[:, None]
        return arrays.where(arrays.repeat(zero, BLOCK, 1)[:, :self.k], 0.0, values)

    def _zero_rows(self, first, count):
        rows = self.arrays.arange(count) + first
        group = rows // 16
        drawn = remainder(self.counter.bits(group, ROW_STREAM), 16)
        return (rows % 16 == drawn) & (group * 16 + 16 <= self.rows)


def spoiled(problem, tensor, recipe):
    """How many stored elements become NaN and how many infinite, and how many scales become NaN."""
    side, rows = (problem.a, problem.m) if tensor == "a" else (problem.w, problem.n)
    rows *= problem.batch
    some = ceil_div(rows, 32)
    if recipe == "nan_scales" and side.scaling == "1x32":
        return 0, 0, rows // 32 if tensor == "a" else some
    if recipe != "nan_inf":
        return 0, 0, 0
    same_everywhere = problem.activation in ("", "relu")  # libraries differ on GELU and SiLU of -infinity
    nans = min(some, rows - 1) if side.type in HAS_NAN else 0
    infinities = min(some, max(rows - 2, 0)) if side.type in HAS_INFINITY and same_everywhere else 0
    return nans, infinities, 0


def spoiled_places(arrays, counter, numbers, size):
    """Flat places of the spoilt elements with these numbers, in a matrix of `size` = (rows, columns)."""
    drawn = counter.bits(arrays.arange(numbers.stop - numbers.start) + numbers.start, ROW_STREAM)
    return (drawn & 0xFFFFFFFF) % size[0] * size[1] + shifted(drawn, 32) % size[1]
