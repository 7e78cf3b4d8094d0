"""Decides whether an output is right: see "Verifying" in workers/PROTOCOL.md."""

import math
from dataclasses import dataclass

from gemmtune_worker.bound import rules_of
from gemmtune_worker.formats import decode
from gemmtune_worker.reference import Reference
from gemmtune_worker.row_sums import RowSums
from gemmtune_worker.sampled_columns import SampledColumns


@dataclass
class Verdict:
    err_ratio: float = 0.0
    worst_error: float = 0.0
    worst_share_of_bound: float = 0.0
    unwritten: int = 0
    checked: int = 0
    guards_intact: bool = True
    why: str = ""
    merely_inaccurate: bool = True  # all of C is written, and nothing else

    def worse(self, other):
        """The worst of both, for a candidate that was checked more than once."""
        return Verdict(max(self.err_ratio, other.err_ratio), max(self.worst_error, other.worst_error),
                       max(self.worst_share_of_bound, other.worst_share_of_bound),
                       max(self.unwritten, other.unwritten), max(self.checked, other.checked),
                       self.guards_intact and other.guards_intact, self.why or other.why,
                       self.merely_inaccurate and other.merely_inaccurate)

    def message(self):
        """For the protocol, which has no infinities."""
        names = ("err_ratio", "worst_error", "worst_share_of_bound", "unwritten", "checked", "guards_intact")
        fields = {name: getattr(self, name) for name in names}
        return {name: x if math.isfinite(x) else None for name, x in fields.items()}


def poison_element(out, pattern):
    """What an element of C holds that was filled with this pattern in each 16 bits, as a signed integer."""
    bits, pattern = (32, pattern * 0x10001) if out == "f32" else (16, pattern)
    return pattern - (1 << bits) if pattern >> (bits - 1) else pattern


class Judge:
    """Of one set of drawn operands. `seed` chooses the rows where not all are compared."""

    def __init__(self, plain, verify, seed):
        self.arrays, self.problem, self.verify = plain.arrays, plain.problem, verify
        self.rules = rules_of(plain.problem)
        self.reference = Reference(plain, verify["full_reference_flops"], seed)
        self.samples = self.reference.rows is not None
        sums_say = self.samples and not plain.problem.activation
        self.sums = RowSums(plain, self.rules, seed) if sums_say else None
        self.columns = SampledColumns(plain, seed) if self.samples and not sums_say else None

    def verdict(self, c, poison, sign=1.0):
        """`c`: [batch, M, N] of stored elements. `sign`: -1 after the sign of one operand was changed in place."""
        found = Verdict()
        stored = self.arrays.bits_as(c, "i32") if self.problem.out == "f32" else c
        poisoned = stored == poison_element(self.problem.out, poison)
        reasons = [self._unwritten(found, poisoned), self._compare(found, c, sign), self._all_rows(found, c, sign)]
        found.why = ". ".join(reason for reason in reasons if reason)
        return found

    def _real(self, c):
        return self.arrays.cast(decode(self.arrays, self.problem.out, c), "f64")

    def _unwritten(self, found, poisoned):
        found.unwritten = int(self.arrays.numbers([poisoned.sum()])[0])
        if not found.unwritten:
            return ""
        found.merely_inaccurate = False
        total = self.problem.batch * self.problem.m * self.problem.n
        where = self._extent(poisoned, range(self.problem.m))
        return f"{found.unwritten} of {total} elements were never written; {where}"

    def _compare(self, found, c, sign):
        arrays, reference, verify = self.arrays, self.reference, self.verify
        out = self._real(reference.pick(c))
        with arrays.quiet():
            x = sign * reference.products + reference.addends()
            norms = reference.row_norms[:, :, None] * reference.column_norms[:, None, :]
            error, share = self.rules.distances(arrays, x, out, norms)
            out_size = arrays.where(arrays.isfinite(out), abs(out), 0.0)
            far, beyond = error > verify["atol"] + verify["rtol"] * out_size, ~(share <= 1)
        numbers = arrays.numbers([far.sum(), error.max(), share.max(), beyond.sum()])
        found.checked = reference.products.shape[0] * reference.products.shape[1] * self.problem.n
        found.err_ratio, found.worst_error, found.worst_share_of_bound = numbers[0] / found.checked, *numbers[1:3]
        why = []
        if numbers[3]:
            why.append(f"{int(numbers[3])} of {found.checked} checked elements are further off than rounding explains, "
                       f"the first is {self._first(beyond, (x, out))}; {self._extent(beyond, reference.row_numbers())}")
        if found.err_ratio > verify["err_ratio_limit"]:
            why.append(f"error ratio {found.err_ratio:.4g} is above {verify['err_ratio_limit']:.4g}")
        return ". ".join(why)

    def _all_rows(self, found, c, sign):
        check = self.sums or self.columns
        if check is None:
            return ""
        share, why = check.judge(c, sign)
        found.worst_share_of_bound = max(found.worst_share_of_bound, share)
        return why

    def _first(self, flags, x_out):
        b, row, column = (int(axis[0]) for axis in self.arrays.host(flags).nonzero())
        x, out = (float(values[b, row, column]) for values in x_out)
        rows = self.reference.row_numbers()
        at = f"{b}, {rows[row]}" if self.problem.batch > 1 else f"{rows[row]}"
        before = f" before {self.problem.activation}" if self.problem.activation else ""
        return f"C[{at}, {column}] = {out:.7g} where {x:.7g}{before} is right"

    def _extent(self, flags, rows):
        _, row, column = self.arrays.host(flags).nonzero()
        return (f"all lie in rows {rows[int(row.min())]} to {rows[int(row.max())]}, "
                f"columns {column.min()} to {column.max()}")

