"""What C should hold: products in double precision of the stored operands, of all rows or of some of each stripe.

Products are kept apart from bias and residual: after the sign of A or of the weights has changed, the product has the
other sign and what is added has not.
"""

import random

from gemmtune_worker.formats import decode
from gemmtune_worker.real import real_matrices
from gemmtune_worker.recipes import ceil_div

STRIPE = 32
FULL_ON_GPU = 10 ** 12  # operations that a GPU spends on a whole reference, whatever the policy affords


class Reference:
    """products: [batch, rows, N]; row_norms: [batch, rows]; column_norms: [batch, N]. rows: None stands for all."""

    def __init__(self, plain, flops_limit, seed):
        self.arrays, self.problem = plain.arrays, plain.problem
        self.rows = sampled_rows(self.arrays, self.problem, flops_limit, seed)
        self.products, self.row_norms, self.column_norms = self._multiply(plain)
        self.plain = plain

    def row_numbers(self):
        """Rows of a matrix, as a list."""
        return range(self.problem.m) if self.rows is None else self.rows

    def pick(self, matrices):
        """The reference's rows of [batch, M, N]."""
        if self.rows is None:
            return matrices
        return matrices[:, self.arrays.array(self.rows, "i64")]

    def addends(self):
        """Bias and residual as f64 that [batch, rows, N] can be added to, or 0."""
        total, plain, arrays = 0.0, self.plain, self.arrays
        if plain.bias is not None:
            total = arrays.cast(decode(arrays, self.problem.out, plain.bias), "f64")
        if plain.residual is not None:
            total = total + arrays.cast(decode(arrays, self.problem.out, self.pick(plain.residual)), "f64")
        return total

    def _multiply(self, plain):
        arrays, found = self.arrays, []
        for left, right in zip(real_matrices(plain, "a"), real_matrices(plain, "w")):
            which = slice(None) if self.rows is None else arrays.array(self.rows, "i64")
            a = left.rows(which)
            with arrays.quiet():
                pieces = [(arrays.matmul(a, w.T), arrays.norm(w)) for _, w in right.pieces()]
                columns = arrays.concatenate([norm for _, norm in pieces])
                found.append((arrays.concatenate([product for product, _ in pieces], 1), arrays.norm(a), columns))
        return tuple(arrays.stack(parts) for parts in zip(*found))


def sampled_rows(arrays, problem, flops_limit, seed):
    """Some rows of each stripe and always its last one; None where all rows are affordable."""
    if getattr(arrays, "device", None) is not None and arrays.device.type != "cpu":
        flops_limit = max(flops_limit, FULL_ON_GPU)
    if problem.flops() <= flops_limit:
        return None
    affordable = max(int(STRIPE * flops_limit / problem.flops()) - 1, 1)
    chosen, drawn = [], random.Random(seed)
    for stripe in range(ceil_div(problem.m, STRIPE)):
        first, last = stripe * STRIPE, min(stripe * STRIPE + STRIPE, problem.m) - 1
        others = drawn.sample(range(first, last), min(affordable, last - first))
        chosen += sorted(others) + [last]
    return chosen
