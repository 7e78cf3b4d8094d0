"""The number formats: from f32 to stored bits, rounded to nearest even, and back. As arithmetic on bits, so that every
device and library gives the same bits. Special values and saturation follow gemmtune/gemm/element_codecs.h."""

LARGEST = {"int8": 127.0, "e4m3": 448.0, "e4m3fnuz": 240.0}
STORED_KIND = {"f32": "f32", "tf32": "f32", "f16": "i16", "bf16": "i16", "e4m3": "u8", "e4m3fnuz": "u8", "int8": "i8",
               "e2m1": "u8"}
INFINITY = 0x7F800000
MAGNITUDE = 0x7FFFFFFF
SPECIAL_NAN = {"f32": 0x7FC00000, "tf32": 0x7FC00000, "bf16": 0x7FC0, "f16": 0x7E00, "e4m3": 0x7F, "e4m3fnuz": 0x80}
SPECIAL_INFINITY = {"f32": 0x7F800000, "tf32": 0x7F800000, "bf16": 0x7F80, "f16": 0x7C00}
# The smallest magnitudes that round to the codes 1 to 7 of E2M1. Halfway between two codes the even one is taken.
_E2M1_FIRST = (0x3E800001, 0x3F400000, 0x3FA00001, 0x3FE00000, 0x40200001, 0x40600000, 0x40A00001)


def power_of_two(arrays, exponents):
    """f32 of normal numbers, from an array of integers."""
    return arrays.bits_as((arrays.cast(exponents, "i32") + 127) << 23, "f32")


def encode(arrays, kind, x):
    """Stored elements; those of e2m1 one to a byte."""
    if kind == "f32":
        return x
    return _ENCODERS[kind](arrays, x)


def decode(arrays, kind, stored):
    """The values as f32, exactly. Stored elements of e2m1 come one to a byte."""
    if kind in ("f32", "tf32"):
        return stored
    if kind == "int8":
        return arrays.cast(stored, "f32")
    if kind == "bf16":
        return arrays.bits_as(arrays.cast(stored, "i32") << 16, "f32")
    if kind == "f16":
        return arrays.cast(arrays.bits_as(stored, "f16"), "f32")
    table = arrays.array([_small_value(kind, code) for code in range(256)], "f32")
    return table[arrays.cast(stored, "i64")]


def pack_pairs(arrays, codes):
    """Two codes of e2m1 to a byte."""
    return codes[..., 0::2] | (codes[..., 1::2] << 4)


def unpack_pairs(arrays, packed):
    both = arrays.stack([packed & 15, packed >> 4], -1)
    return both.reshape(tuple(packed.shape[:-1]) + (packed.shape[-1] * 2,))


def _split(arrays, x):
    bits = arrays.bits_as(x, "i32")
    magnitude = bits & MAGNITUDE
    return bits, magnitude, (bits >> 31) & 1


def _nearest(arrays, magnitude, mantissa_bits, bias):
    """The code of a magnitude, which may be above the largest one."""
    shift = 23 - mantissa_bits
    magic = (128 - bias + shift) << 23
    unit = arrays.bits_as(arrays.full((1,), magic, "i32"), "f32")
    subnormal = arrays.bits_as(arrays.bits_as(magnitude, "f32") + unit, "i32") - magic
    rounded = magnitude + ((magnitude >> shift) & 1) + ((1 << (shift - 1)) - 1)
    normal = (rounded >> shift) - ((127 - bias) << mantissa_bits)
    return arrays.where(magnitude >= ((128 - bias) << 23), normal, subnormal)


def _tf32(arrays, x):
    bits, magnitude, _ = _split(arrays, x)
    rounded = bits + 0xFFF + ((bits >> 13) & 1)
    return arrays.bits_as(arrays.where(magnitude > INFINITY, bits | 0x400000, rounded) & ~0x1FFF, "f32")


def _bf16(arrays, x):
    bits, magnitude, _ = _split(arrays, x)
    rounded = bits + 0x7FFF + ((bits >> 16) & 1)
    return arrays.cast(arrays.where(magnitude > INFINITY, bits | 0x400000, rounded) >> 16, "i16")


def _f16(arrays, x):
    _, magnitude, sign = _split(arrays, x)
    finite = arrays.minimum(_nearest(arrays, magnitude, 10, 15), 0x7C00)
    code = arrays.where(magnitude > INFINITY, 0x7E00 | ((magnitude >> 13) & 0x3FF), finite)
    return arrays.cast(code - (sign << 15), "i16")  # the sign is what an int16 counts from -2^15


def _e4m3(arrays, x):
    _, magnitude, sign = _split(arrays, x)
    finite = arrays.minimum(_nearest(arrays, magnitude, 3, 7), 0x7E)
    return arrays.cast(arrays.where(magnitude > INFINITY, 0x7F, finite) | (sign << 7), "u8")


def _e4m3fnuz(arrays, x):
    _, magnitude, sign = _split(arrays, x)
    finite = arrays.minimum(_nearest(arrays, magnitude, 3, 8), 0x7F)
    code = arrays.where(finite == 0, 0, finite | (sign << 7))
    return arrays.cast(arrays.where(magnitude > INFINITY, 0x80, code), "u8")


def _int8(arrays, x):
    magic = 12582912.0  # 1.5 * 2^23: its unit in the last place is 1, so the addition rounds
    rounded = (arrays.clip(x, -127.0, 127.0) + magic) - magic
    return arrays.cast(arrays.where(arrays.isnan(x), 0.0, rounded), "i8")


def _e2m1(arrays, x):
    _, magnitude, sign = _split(arrays, x)
    code = arrays.where(magnitude > INFINITY, 0, sign << 3)
    for first in _E2M1_FIRST:
        code = code + arrays.cast(magnitude >= first, "i32")
    return arrays.cast(code, "u8")


_ENCODERS = {"tf32": _tf32, "bf16": _bf16, "f16": _f16, "e4m3": _e4m3, "e4m3fnuz": _e4m3fnuz, "int8": _int8,
             "e2m1": _e2m1}
_SMALL = {"e4m3": (3, 7, 7), "e4m3fnuz": (3, 8, 7), "e2m1": (1, 1, 3)}  # mantissa bits, bias, where the sign is


def _small_value(kind, code):
    mantissa_bits, bias, sign_at = _SMALL[kind]
    magnitude = code & ((1 << sign_at) - 1)
    if (kind == "e4m3" and magnitude == 0x7F) or (kind == "e4m3fnuz" and code == 0x80):
        return float("nan")
    exponent, mantissa = magnitude >> mantissa_bits, magnitude & ((1 << mantissa_bits) - 1)
    unit = 2.0 ** (max(exponent, 1) - bias - mantissa_bits)
    value = (mantissa + ((1 << mantissa_bits) if exponent else 0)) * unit
    return -value if code >> sign_at & 1 else value
