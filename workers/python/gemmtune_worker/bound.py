"""How far an element of C may be from the reference: see "Verifying" in workers/PROTOCOL.md and docs/verifying.md."""

import math
from dataclasses import dataclass

FP8 = ("e4m3", "e2m1")  # e2m1 is multiplied as e4m3
HALF = ("bf16", "f16", "tf32") + FP8
ROUNDING = {"f32": (2.0 ** -23, 2.0 ** -126), "f16": (2.0 ** -10, 2.0 ** -14), "bf16": (2.0 ** -7, 2.0 ** -126)}
OVERFLOW = {"f32": float.fromhex("0x1.ffffffp127"), "f16": 65520.0, "bf16": float.fromhex("0x1.ffp127")}
# The steepest slope of an activation, and the relative error of fast ways to compute it.
SLOPES = {"gelu_tanh": (1.13, 2.0 ** -12), "gelu_erf": (1.13, 2.0 ** -20), "silu": (1.1, 2.0 ** -12)}


def activate(arrays, kind, x):
    if kind == "relu":
        return arrays.where(x < 0, 0.0, x)
    if kind == "gelu_tanh":
        return 0.5 * x * (1 + arrays.tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)))
    if kind == "gelu_erf":
        return 0.5 * x * (1 + arrays.erf(x * 0.70710678118654752440))
    return x / (1 + arrays.exp(-x)) if kind == "silu" else x


@dataclass(frozen=True)
class Rules:
    """eps·max(|C|, tiny) + slope·(per_norm·‖a‖‖w‖ + per_sum·|x| + min(|x|, per_square·x²/(‖a‖‖w‖))) + δ·|x|"""

    eps: float
    tiny: float
    overflow: float
    per_norm: float
    per_sum: float
    per_square: float
    slope: float
    per_argument: float
    activation: str

    def allowed(self, arrays, x, norms):
        size = abs(x)
        inner = self.per_norm * norms + self.per_sum * size
        if self.per_square:
            safe = arrays.where(norms > 0, norms, 1.0)
            one_sided = arrays.minimum(self.per_square * size * size / safe, size)
            inner = inner + arrays.where(norms > 0, one_sided, 0.0)
        expected = abs(activate(arrays, self.activation, x))
        return self.eps * arrays.maximum(expected, self.tiny) + self.slope * inner + self.per_argument * size

    def distances(self, arrays, x, found, norms):
        """Errors and shares of the bound; infinite for what is wrong in kind."""
        expected = activate(arrays, self.activation, x)
        allowed = self.allowed(arrays, x, norms)
        right, special = self._kinds(arrays, (x, expected, allowed), found)
        in_kind = arrays.where(right, 0.0, arrays.full((1,), math.inf, "f64"))
        error = arrays.where(special, in_kind, abs(expected - found))
        return error, arrays.where(special, error, error / allowed)

    def _kinds(self, arrays, reference, found):
        """Where something is not finite, and where it is right so."""
        x, expected, allowed = reference
        nan = arrays.isnan(expected)
        infinite = (arrays.isinf(x) | arrays.isinf(expected)) & ~nan
        right_nan = arrays.isnan(found) | ((found == 0) & (self.activation == "relu"))
        same_sign = arrays.signbit(found) == arrays.signbit(expected)
        overflows = arrays.isinf(found) & same_sign & (abs(expected) >= self.overflow - allowed)
        right = (nan & right_nan) | (infinite & (found == expected)) | (~nan & ~infinite & overflows)
        return right, nan | infinite | ~arrays.isfinite(found)


def rules_of(problem):
    eps, tiny = ROUNDING[problem.out]
    a, w = problem.a.multiplied(), problem.w  # the rule of quantising in the call is exact
    types = (a.type, w.type)
    per_norm, per_sum, per_square = 4 * 2.0 ** -24 * math.sqrt(problem.k), 0.0, 0.0
    if "f32" in types:
        per_norm, per_sum = 4 * 2.0 ** -24, per_norm
    elif all(kind in FP8 for kind in types):
        per_norm += 2.0 ** -12
        blocks = a.scaling == "1x128" or w.scaling == "128x128"
        per_square = 2.0 ** -14 * (min(problem.k, 128) if blocks else problem.k)
    elif all(kind in HALF for kind in types):
        per_square = 2.0 ** -26 * problem.k
    slope, per_argument = SLOPES.get(problem.activation, (1.0, 0.0))
    return Rules(eps, tiny, OVERFLOW[problem.out], per_norm, per_sum, per_square, slope, per_argument,
                 problem.activation)
