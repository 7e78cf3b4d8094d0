"""Draws the operands of a problem: the same bytes as any other worker's, from the seed alone."""

from gemmtune_worker.counter import Counter
from gemmtune_worker.formats import SPECIAL_INFINITY, SPECIAL_NAN, STORED_KIND, encode
from gemmtune_worker.quantise import magnitudes, quantise_rows, scale_shape
from gemmtune_worker.recipes import OperandDraw, spoiled, spoiled_places

GAP = 0xFF


class Plain:
    """Operands in the default order without gaps, as the reference reads them. Values of e2m1 are two to a byte.

    a, w: [batch, rows, K]; their scales: [batch, scale rows, scale columns] or None; bias: [N]; residual:
    [batch, M, N].
    """

    def __init__(self, arrays, problem, recipe, seed):
        self.arrays, self.problem = arrays, problem
        self.a, self.a_scale = _draw_side(arrays, problem, "a", (recipe, seed))
        self.w, self.w_scale = _draw_side(arrays, problem, "w", (recipe, seed))
        simple = recipe if recipe == "one_sign" else "gaussian"
        self.bias = _draw_addend(arrays, problem, ("bias", 1), (simple, seed)) if problem.bias else None
        rows = problem.batch * problem.m
        residual = _draw_addend(arrays, problem, ("residual", rows), (simple, seed)) if problem.residual else None
        self.residual = residual.reshape(problem.batch, problem.m, problem.n) if problem.residual else None

    def stored(self):
        """The bytes of each tensor as the problem's layout wants them. Tensors that the problem lacks are left out."""
        p, arrays = self.problem, self.arrays
        turned = arrays.transpose
        a = self.a if p.layout[0] == "n" else turned(self.a)
        w = self.w if p.layout[1] == "t" else turned(self.w)
        found = {"a": to_stored(arrays, a, p.stored_a()), "a_scale": self.a_scale,
                 "w": to_stored(arrays, w, p.stored_w()), "w_scale": self.w_scale, "bias": self.bias}
        if p.residual:
            found["residual"] = to_stored(arrays, self.residual, p.stored_c())
        return {name: arrays.bytes_of(x) for name, x in found.items() if x is not None}


def to_stored(arrays, plain, matrix):
    if not matrix.has_gaps():
        return arrays.contiguous(plain)
    memory = arrays.full((matrix.bytes(),), GAP, "u8")
    typed = arrays.bits_as(memory, STORED_KIND[matrix.type])
    strided(arrays, typed, matrix)[...] = plain
    return typed


def strided(arrays, typed, matrix):
    """[batch, rows, columns] of a stored matrix."""
    shape = (matrix.batch, matrix.rows, matrix.columns)
    return arrays.strided(typed, shape, (matrix.stride, matrix.leading, 1))


def _draw_addend(arrays, problem, tensor_rows, recipe_seed):
    (tensor, rows), (recipe, seed) = tensor_rows, recipe_seed
    values = Counter(seed, tensor).gaussian(arrays, arrays.arange(rows * problem.n))
    return encode(arrays, problem.out, abs(values) if recipe == "one_sign" else values)


def _draw_side(arrays, problem, tensor, recipe_seed):
    side, rows = (problem.a, problem.m) if tensor == "a" else (problem.w, problem.n)
    draw = OperandDraw(arrays, problem, tensor, *recipe_seed)
    matrices = [_quantise_matrix(draw, side, index * rows, rows) for index in range(problem.batch)]
    values = arrays.stack([one for one, _ in matrices])
    scales = arrays.stack([one for _, one in matrices]) if side.has_scales() else None
    _spoil(arrays, (problem, tensor), draw, (values, scales))
    return values, scales


def _quantise_matrix(draw, side, first, rows):
    arrays = draw.arrays
    at_once = max(arrays.chunk // draw.k, 1)
    if side.scaling == "128x128":
        at_once = max(at_once // 128, 1) * 128
    pieces = [(first + at, min(at_once, rows - at)) for at in range(0, rows, at_once)]
    amax = _tensor_amax(draw, pieces) if side.scaling == "tensor" else None
    with arrays.quiet():
        parts = [quantise_rows(arrays, side, draw.draw(*piece), amax) for piece in pieces]
    values = arrays.concatenate([one for one, _ in parts])
    if not side.has_scales():
        return values, None
    scales = parts[0][1] if amax is not None else arrays.concatenate([one for _, one in parts])
    return values, scales.reshape(scale_shape(side, rows, draw.k))


def _tensor_amax(draw, pieces):
    arrays = draw.arrays
    each = [arrays.max_over(magnitudes(arrays, draw.draw(*piece)), (0, 1)) for piece in pieces]
    return arrays.max_over(arrays.stack(each), (0,)).reshape(1, 1)


def _spoil(arrays, problem_tensor, draw, stored):
    (problem, tensor), (values, scales) = problem_tensor, stored
    side = problem.a if tensor == "a" else problem.w
    nans, infinities, of_scales = spoiled(*problem_tensor, draw.recipe)
    size = (draw.rows, draw.k)
    if nans:
        _set_bits(arrays, side.type, values, (spoiled_places(arrays, draw.counter, range(nans), size), SPECIAL_NAN))
    if infinities:
        places = spoiled_places(arrays, draw.counter, range(nans, nans + infinities), size)
        _set_bits(arrays, side.type, values, (places, SPECIAL_INFINITY))
    if of_scales:
        places = spoiled_places(arrays, draw.counter, range(of_scales), (draw.rows, scales.shape[-1]))
        scales.reshape(-1)[places] = 255


def _set_bits(arrays, kind, values, places_bits):
    places, bits = places_bits
    flat = values.reshape(-1)
    if kind in ("f32", "tf32"):
        arrays.bits_as(flat, "i32")[places] = bits[kind]
    else:
        flat[places] = bits[kind]
