"""Compares some columns of each stripe of 32 in all rows, where an activation makes sums over rows say nothing."""

import random

from gemmtune_worker.bound import rules_of
from gemmtune_worker.formats import decode
from gemmtune_worker.real import real_matrices

STRIPE = 32


class SampledColumns:
    def __init__(self, plain, seed):
        self.arrays, self.problem, self.rules = plain.arrays, plain.problem, rules_of(plain.problem)
        drawn = random.Random(seed)
        self.numbers = [min(first + drawn.randrange(STRIPE), self.problem.n - 1)
                        for first in range(0, self.problem.n, STRIPE)]
        self.columns = self.arrays.array(self.numbers, "i64")
        self.addends = self._addends(plain)
        self.products, self.norms = self._multiply(plain)

    def _addends(self, plain):
        arrays, out, total = self.arrays, self.problem.out, 0.0
        if plain.bias is not None:
            total = arrays.cast(decode(arrays, out, plain.bias), "f64")[self.columns]
        if plain.residual is not None:
            total = total + arrays.cast(decode(arrays, out, plain.residual[:, :, self.columns]), "f64")
        return total

    def _multiply(self, plain):
        arrays, found = self.arrays, []
        with arrays.quiet():
            for left, right in zip(real_matrices(plain, "a"), real_matrices(plain, "w")):
                w = right.rows(self.columns)
                column_norms = arrays.norm(w)
                pieces = [(arrays.matmul(a, w.T), arrays.norm(a)[:, None] * column_norms) for _, a in left.pieces()]
                found.append(tuple(arrays.concatenate([piece[i] for piece in pieces]) for i in (0, 1)))
        return tuple(arrays.stack(parts) for parts in zip(*found))

    def judge(self, c, sign):
        """The worst share of the bound, and what is wrong. `c`: [batch, M, N] of stored elements."""
        arrays = self.arrays
        with arrays.quiet():
            x = sign * self.products + self.addends
            found = arrays.cast(decode(arrays, self.problem.out, c[:, :, self.columns]), "f64")
            _, share = self.rules.distances(arrays, x, found, self.norms)
        worst, bad = arrays.numbers([share.max(), (~(share <= 1)).sum()])
        if not bad:
            return worst, ""
        _, rows, columns = arrays.host(~(share <= 1)).nonzero()
        return worst, (f"{int(bad)} elements of the sampled columns are further off than rounding explains, the first "
                       f"in row {rows[0]}, column {self.numbers[int(columns[0])]}")
