"""Quantises rows of f32 as the protocol says, bit for bit as gemmtune does. A group is what shares a scale."""

from gemmtune_worker.formats import INFINITY, LARGEST, MAGNITUDE, encode, pack_pairs
from gemmtune_worker.recipes import ceil_div

COLUMNS = {"1x128": 128, "128x128": 128, "1x32": 32}


def scale_shape(side, rows, k):
    """Rows and columns of the scales of one matrix."""
    columns = ceil_div(k, COLUMNS[side.scaling]) if side.scaling in COLUMNS else 1
    if not side.has_scales():
        return 0, 0
    return {"tensor": (1, 1), "128x128": (ceil_div(rows, 128), columns)}.get(side.scaling, (rows, columns))


def scale_kind(side):
    return "u8" if side.scaling == "1x32" else "f32"


def magnitudes(arrays, x):
    """Bits of magnitudes: they compare as the magnitudes do, with NaN above all."""
    return arrays.bits_as(x, "i32") & MAGNITUDE


def quantise_rows(arrays, side, x, amax=None):
    """Stored values and scales of some rows of one matrix: whole groups, but that `amax` is a whole tensor's."""
    if not side.has_scales():
        return encode(arrays, side.type, x), None
    if amax is None:
        amax = _group_amax(arrays, side, x)
    scales, divisors = _scales(arrays, side, amax)
    values = encode(arrays, side.type, x / _spread(arrays, side, divisors, x.shape))
    return (pack_pairs(arrays, values) if side.type == "e2m1" else values), scales


def _group_amax(arrays, side, x):
    rows, k = x.shape
    bits = magnitudes(arrays, x)
    if side.scaling == "tensor":
        return arrays.max_over(bits, (0, 1)).reshape(1, 1)
    if side.scaling == "row":
        return arrays.max_over(bits, (1,)).reshape(rows, 1)
    width, (scale_rows, columns) = COLUMNS[side.scaling], scale_shape(side, rows, k)
    height = ceil_div(rows, scale_rows) if side.scaling != "128x128" else 128
    padded = arrays.pad(bits, scale_rows * height, columns * width)
    return arrays.max_over(padded.reshape(scale_rows, height, columns, width), (1, 3))


def _scales(arrays, side, amax):
    """As stored, and the numbers by which values are divided."""
    if side.scaling == "1x32":
        return _power_scales(arrays, amax)
    # By an array: on a GPU torch divides by a number as it multiplies with its inverse, which rounds twice.
    quotient = arrays.bits_as(amax, "f32") / arrays.full((1,), LARGEST[side.type], "f32")
    scales = arrays.where(quotient == 0, 1.0, quotient)
    return scales, scales


def _power_scales(arrays, amax):
    """The largest magnitude, rounded to one mantissa bit, over 4, as a power of two at or below it."""
    rounded_up = arrays.cast((amax & 0x7FFFFF) >= 0x600000, "i32")
    biased = arrays.clip((amax >> 23) - 2 + rounded_up, 0, 254)  # subnormal magnitudes end at 0, too
    biased = arrays.where(amax >= INFINITY, 255, biased)
    bits = arrays.where(biased == 0, 0x400000, biased << 23)  # 2^-127 is subnormal
    divisors = arrays.bits_as(arrays.where(biased == 255, 0x7FC00000, bits), "f32")
    scales = arrays.where(amax == 0, 0, biased)
    return arrays.cast(scales, "u8"), arrays.where(amax == 0, 1.0, divisors)


def _spread(arrays, side, divisors, shape):
    """A divisor for each element."""
    if side.scaling in ("tensor", "row"):
        return divisors
    wide = arrays.repeat(divisors, COLUMNS[side.scaling], 1)[:, :shape[1]]
    return arrays.repeat(wide, 128, 0)[:shape[0]] if side.scaling == "128x128" else wide
