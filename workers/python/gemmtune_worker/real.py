"""The real values of stored operands, in double precision."""

from gemmtune_worker.formats import decode, unpack_pairs
from gemmtune_worker.quantise import COLUMNS, quantise_rows


class RealRows:
    """Rows of one matrix of A or of the weights: stored value times scale. Of floats that a call quantises, what the
    call makes of them: gemmtune/gemm/fp8_in_call.h."""

    def __init__(self, arrays, side, values, scales):
        self.arrays, self.side, self.values, self.scales = arrays, side, values, scales
        self.count = values.shape[0]

    def rows(self, which):
        """`which`: a slice or an array of row numbers."""
        arrays, stored = self.arrays, self.values[which]
        if self.side.type == "e2m1":
            stored = unpack_pairs(arrays, stored)
        values = decode(arrays, self.side.type, stored)
        if self.side.multiplied() != self.side:
            return self._in_call(values)
        real = arrays.cast(values, "f64")
        return real * self._factors(which, real.shape[1]) if self.side.has_scales() else real

    def _in_call(self, values):
        """Groups lie within rows, so any rows are quantised as they are among all."""
        side = self.side.multiplied()
        with self.arrays.quiet():
            codes, scales = quantise_rows(self.arrays, side, values)
            return RealRows(self.arrays, side, codes, scales).rows(slice(None))

    def at_once(self):
        return max(2 * self.arrays.chunk // max(self.values.shape[1], 1), 1)

    def pieces(self):
        """(first row, rows), one after the other."""
        step = self.at_once()
        for first in range(0, self.count, step):
            yield first, self.rows(slice(first, min(first + step, self.count)))

    def _factors(self, which, k):
        arrays, side = self.arrays, self.side
        if side.scaling == "tensor":
            return arrays.cast(self.scales, "f64")
        if side.scaling == "128x128":
            of_rows = (arrays.arange(self.count) // 128)[which]
            scales = arrays.cast(self.scales[of_rows], "f64")
        elif side.scaling == "1x32":
            powers = [2.0 ** (byte - 127) for byte in range(255)] + [float("nan")]
            scales = arrays.array(powers, "f64")[arrays.cast(self.scales[which], "i64")]
        else:
            scales = arrays.cast(self.scales[which], "f64")
        return arrays.repeat(scales, COLUMNS[side.scaling], 1)[:, :k] if side.scaling in COLUMNS else scales


def real_matrices(plain, tensor):
    """RealRows of each matrix of the batch."""
    p = plain.problem
    side = p.a if tensor == "a" else p.w
    values, scales = (plain.a, plain.a_scale) if tensor == "a" else (plain.w, plain.w_scale)
    return [RealRows(plain.arrays, side, values[b], scales[b] if side.has_scales() else None)
            for b in range(p.batch)]
