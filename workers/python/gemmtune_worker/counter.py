"""The numbers from which operands are drawn: see "Operands" in workers/PROTOCOL.md.

Arrays of int64 stand for numbers modulo 2^64, because torch has no unsigned ones to calculate with: products wrap
around alike, and shifts are masked.
"""

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
SCALE = float.fromhex("0x1.bb67aep-16")
TENSORS = {"a": 1, "w": 2, "bias": 3, "residual": 4}
BLOCK_STREAM, ROW_STREAM, GROUP_STREAM = 1 << 63, 1 << 62, 1 << 61
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def mix(z):
    z = (z ^ (z >> 30)) * _FIRST & MASK
    z = (z ^ (z >> 27)) * _SECOND & MASK
    return z ^ (z >> 31)


def signed(number):
    """The int64 with the same bits."""
    number &= MASK
    return number - (1 << 64) if number >> 63 else number


def shifted(z, by):
    """To the right, and zeros from the left."""
    return (z >> by) & ((1 << (64 - by)) - 1)


def remainder(z, divisor):
    """Of the unsigned number, for divisors up to 2^31."""
    high = shifted(z, 32) % divisor
    return (high * ((1 << 32) % divisor) + (z & 0xFFFFFFFF) % divisor) % divisor


class Counter:
    """The numbers of one tensor under one seed."""

    def __init__(self, seed, tensor):
        self.start = mix((seed + TENSORS[tensor] * GOLDEN) & MASK)

    def number(self, index):
        return mix((self.start + (index + 1) * GOLDEN) & MASK)

    def bits(self, indices, stream=0):
        """Of an array of int64 indices, counted from `stream` on."""
        z = indices * signed(GOLDEN) + signed(self.start + (stream + 1) * GOLDEN)
        z = (z ^ shifted(z, 30)) * signed(_FIRST)
        z = (z ^ shifted(z, 27)) * signed(_SECOND)
        return z ^ shifted(z, 31)

    def gaussian(self, arrays, indices):
        z = self.bits(indices)
        pairs = (z & 0x0000FFFF0000FFFF) + (shifted(z, 16) & 0x0000FFFF0000FFFF)
        total = (pairs & 0xFFFFFFFF) + shifted(pairs, 32) - 131070
        return arrays.cast(total, "f32") * SCALE
