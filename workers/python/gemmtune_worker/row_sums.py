"""A check over all rows where the reference has only some: C·r = A·(Wᵀ·r) for random signs r (Freivalds, 1977).

docs/verifying.md derives the bound. With an activation, sums say nothing: whole columns are compared instead.
"""

import random

from gemmtune_worker.formats import decode
from gemmtune_worker.real import real_matrices
from gemmtune_worker.recipes import ceil_div

COLUMNS = 256
DEVIATIONS = 8.0


def _rows_of(x, rows):
    """Of [batch, M, …], or of [batch, 1, …] for what all rows have in common."""
    return x if x.shape[1] == 1 else x[:, rows]


class RowSums:
    def __init__(self, plain, rules, seed):
        self.arrays, self.plain, self.rules, self.problem = plain.arrays, plain, rules, plain.problem
        self.blocks = ceil_div(self.problem.n, COLUMNS)
        drawn = random.Random(seed)
        signs = [[drawn.choice((-1.0, 1.0)) for _ in range(self.problem.n)] for _ in range(self.problem.batch)]
        self.signs = self.arrays.array(signs, "f64")
        with self.arrays.quiet():
            self._compute()

    def _compute(self):
        arrays, found = self.arrays, []
        for b, (left, right) in enumerate(zip(real_matrices(self.plain, "a"), real_matrices(self.plain, "w"))):
            vectors, norms, weights = self._weighted(right, self.signs[b])
            parts = [(arrays.matmul(a, vectors.T), arrays.norm(a)) for _, a in left.pieces()]
            sums, row_norms = (arrays.concatenate([part[i] for part in parts]) for i in (0, 1))
            found.append((sums, row_norms, norms, weights))
        self.sums, self.row_norms, self.column_norms, self.weights = (arrays.stack(parts) for parts in zip(*found))
        self.added = self._block_sums(self._addends() * self.weights[:, None, :])
        self.largest_addend = abs(self._addends())

    def _addends(self):
        p, plain, arrays = self.problem, self.plain, self.arrays
        total = arrays.full((p.batch, p.m, p.n) if p.residual else (p.batch, 1, p.n), 0.0, "f64")
        if plain.bias is not None:
            total = total + arrays.cast(decode(arrays, p.out, plain.bias), "f64")
        if plain.residual is not None:
            total = total + arrays.cast(decode(arrays, p.out, plain.residual), "f64")
        return total

    def _weighted(self, right, signs):
        """Wᵀ·r of each block. Weights make columns alike in size, so that large ones do not hide small ones."""
        arrays, norms = self.arrays, []
        for _, w in right.pieces():
            norms.append(arrays.norm(w))
        norms = arrays.concatenate(norms)
        usable = arrays.isfinite(norms)
        power = arrays.exp2(-arrays.floor(arrays.log2(arrays.where(usable & (norms > 0), norms, 1.0))))
        weights = arrays.where(usable, signs * power, 0.0)
        vectors = []
        for first in range(0, self.problem.n, COLUMNS):
            columns = slice(first, min(first + COLUMNS, self.problem.n))
            w = right.rows(columns)
            w = arrays.where(usable[columns][:, None], w, 0.0)
            vectors.append(arrays.matmul(weights[columns], w))
        return arrays.stack(vectors), norms, weights

    def _block_sums(self, x):
        """[…, N] to […, blocks]."""
        pieces = [x[..., first:first + COLUMNS].sum(-1) for first in range(0, self.problem.n, COLUMNS)]
        return self.arrays.stack(pieces, -1)

    def judge(self, c, sign):
        """The worst share of the bound, and what is wrong. `c`: [batch, M, N] of stored elements.

        Some rows at once: what is computed on the way takes dozens of bytes for each element.
        """
        p = self.problem
        at_once = max(self.arrays.chunk // (p.batch * p.n), 1)
        with self.arrays.quiet():
            parts = [self._shares(c, slice(first, first + at_once), sign) for first in range(0, p.m, at_once)]
        return self._describe(self.arrays.concatenate(parts, 1))

    def _shares(self, c, rows, sign):
        """Of these rows: [batch, rows, blocks]."""
        arrays, rules = self.arrays, self.rules
        c = arrays.cast(decode(arrays, self.problem.out, c[:, rows]), "f64")
        norms = self.row_norms[:, rows, None] * self.column_norms[:, None, :]
        wrong, apart = self._kinds(c, norms, _rows_of(self.largest_addend, rows))
        summed = ~(wrong | apart) & (self.weights != 0)[:, None, :]
        values = arrays.where(summed, c, 0.0)
        weights = self.weights[:, None, :]
        allowed = arrays.where(summed, weights * rules.allowed(arrays, values, norms), 0.0)
        expected = sign * self.sums[:, rows] + _rows_of(self.added, rows)
        off = abs(self._block_sums(values * weights) - expected)
        share = off / (DEVIATIONS * arrays.sqrt(self._block_sums(allowed * allowed)))
        share = arrays.where(off == 0, 0.0, share)
        share = arrays.where(self._any(apart), 0.0, share)
        return arrays.where(self._any(wrong), arrays.full((1,), float("inf"), "f64"), share)

    def _kinds(self, c, norms, largest_addend):
        """Elements that no right kernel writes, and those that are rightly not finite."""
        arrays = self.arrays
        nan, infinite, finite = arrays.isnan(norms), arrays.isinf(norms), arrays.isfinite(c)
        most = norms + largest_addend
        most = most + self.rules.allowed(arrays, most, norms)
        regular = ~(nan | infinite)
        wrong = (nan & ~arrays.isnan(c)) | (infinite & finite) | (regular & arrays.isnan(c))
        wrong = wrong | (regular & finite & (abs(c) > most))
        overflow = regular & arrays.isinf(c)
        wrong = wrong | (overflow & (most < self.rules.overflow))
        return wrong, (nan | infinite | overflow) & ~wrong

    def _any(self, flags):
        return self._block_sums(self.arrays.cast(flags, "f64")) > 0

    def _describe(self, share):
        worst, bad = self.arrays.numbers([share.max(), (~(share <= 1)).sum()])
        if not bad:
            return worst, ""
        places = self.arrays.host(~(share <= 1)).nonzero()
        b, row, block = (int(axis[0]) for axis in places)
        last = min(block * COLUMNS + COLUMNS, self.problem.n) - 1
        at = f"{b}, {row}" if self.problem.batch > 1 else f"{row}"
        return worst, (f"{int(bad)} sums over parts of C's rows are wrong, the first of C[{at}, {block * COLUMNS} to "
                       f"{last}]; all lie in rows {places[1].min()} to {places[1].max()}")
