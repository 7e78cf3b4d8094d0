"""What a kernel does wrong is seen, whatever it is."""

import copy
import unittest

import broken_backend
from gemmtune_worker.attempt import Attempt
from gemmtune_worker.backend import Kernel
from gemmtune_worker.bound import rules_of
from gemmtune_worker.device import CpuDevice
from gemmtune_worker.problem import parse_problem
from gemmtune_worker.recipes import ordeals
from gemmtune_worker.stages import _check_changed, check_again
from gemmtune_worker.workload import Workload

ALL = {"err_ratio_limit": 0.05, "atol": 1e-2, "rtol": 1e-2, "full_reference_flops": 4_000_000_000}
SAMPLED = {**ALL, "full_reference_flops": 1000}
DEVICE = CpuDevice()


def workload(text="66x40x64:f32:f32:f32", recipe="gaussian", verify=ALL, sets=3):
    found = Workload(DEVICE, parse_problem(text), (recipe, 7), verify)
    found.grow(sets)
    return found


def attempt_of(kernel):
    attempt = Attempt(DEVICE, {"family": "broken", "name": "one"}, "screen")
    attempt.kernel = Kernel(kernel)
    return attempt


def checked(kernel, load, sets=(0,)):
    attempt = attempt_of(kernel)
    attempt.check(load, sets)
    attempt.check_memory(load)
    return attempt


class VerificationTest(unittest.TestCase):
    def test_a_right_kernel_is_right_under_every_recipe(self):
        for text in ("66x40x64:f32:f32:f32", "7x40x64:f32:f32:f32:batch=3", "66x40x64:f32:f32:f32:ldc=50:lda=70"):
            for recipe, _ in ordeals(parse_problem(text)):
                attempt = checked(broken_backend.right, workload(text, recipe))
                self.assertTrue(attempt.alive, f"{text} {recipe}: {attempt.failure and attempt.failure.reason}")

    def test_a_right_kernel_is_right_where_rows_are_sampled(self):
        for recipe, _ in ordeals(parse_problem("66x300x64:f32:f32:f32")):
            load = workload("66x300x64:f32:f32:f32", recipe, SAMPLED)
            attempt = checked(broken_backend.right, load)
            self.assertTrue(attempt.alive, f"{recipe}: {attempt.failure and attempt.failure.reason}")
            self.assertLess(attempt.verdict.checked, 66 * 300)

    def test_sums_over_rows_are_the_same_in_pieces(self):
        """Of a few rows at once, as those of large products are."""
        text = "7x300x64:f32:f32:f32:batch=3"
        for kernel, alive in ((broken_backend.right, True), (broken_backend.KERNELS["broken_zeroed_row"](), False)):
            whole, pieces = workload(text, verify=SAMPLED), workload(text, verify=SAMPLED)
            pieces.arrays = copy.copy(pieces.arrays)
            pieces.arrays.chunk = 2 * 3 * 300
            found = [checked(kernel, load) for load in (whole, pieces)]
            self.assertEqual([one.alive for one in found], [alive, alive])
            shares = [load.judges[0].sums._shares(load.c(0), slice(None), 1.0) for load in (whole, pieces)]
            self.assertEqual(shares[0].shape, shares[1].shape)
            sums = pieces.judges[0].sums
            sums.arrays = pieces.arrays
            self.assertEqual(sums.judge(pieces.c(0), 1.0), whole.judges[0].sums.judge(whole.c(0), 1.0))

    def test_faults_are_seen(self):
        expected = {"zeroed_row": "rounding explains", "wrong_scale": "rounding explains",
                    "missing_column": "never written", "nothing": "never written",
                    "after_the_end": "1 bytes after the end of C", "before_the_start": "a guard was overwritten",
                    "changes_input": "the operand w was overwritten"}
        for name, reason in expected.items():
            load = workload()
            attempt = checked(broken_backend.KERNELS[f"broken_{name}"](), load)
            self.assertFalse(attempt.alive, name)
            self.assertEqual(attempt.failure.outcome, "wrong_result", name)
            self.assertIn(reason, attempt.failure.reason, name)
            self.assertTrue(checked(broken_backend.right, load).alive, f"after {name}, memory was not repaired")

    def test_the_place_of_an_error_is_named(self):
        attempt = checked(broken_backend.zeroed_row, workload())
        self.assertIn("all lie in rows 65 to 65, columns 0 to 39", attempt.failure.reason)

    def test_a_wrong_row_is_seen_wherever_it_is(self):
        for text in ("66x300x64:f32:f32:f32", "66x300x64:f32:f32:f32:relu", "66x300x64:f32:f32:f32:bias:residual"):
            for row in range(66):
                load = workload(text, verify=SAMPLED, sets=1)
                reference = _right_output(load)

                def kernel(o, row=row):
                    o.c[...] = reference
                    o.c[0, row] = -o.c[0, row - 1]
                self.assertFalse(checked(kernel, load).alive, f"{text}: row {row}")

    def test_what_is_only_inaccurate_is_told_from_what_is_worse(self):
        self.assertTrue(checked(broken_backend.wrong_scale, workload()).is_merely_inaccurate())
        self.assertFalse(checked(broken_backend.missing_column, workload()).is_merely_inaccurate())
        self.assertFalse(checked(broken_backend.after_the_end, workload()).is_merely_inaccurate())

    def test_every_operand_set_counts(self):
        attempt = checked(broken_backend.OnlyFirstSet(), workload(), sets=(0, 1, 2))
        self.assertFalse(attempt.alive)

    def test_results_that_are_remembered_are_seen(self):
        load, attempt = workload(), attempt_of(broken_backend.Remembers())
        self.assertTrue(attempt.check(load, [0]))
        _check_changed(load, attempt, 0)
        self.assertIn("after the sign of a changed in place", attempt.failure.reason)
        again = attempt_of(broken_backend.right)
        again.timing = {}
        check_again(load, again)
        self.assertTrue(again.alive, again.failure and again.failure.reason)

    def test_gaps_of_c_are_watched(self):
        def kernel(o):
            broken_backend.right(o)
            broken_backend._beside(o.c, 40)[0] = 0.0
        attempt = checked(kernel, workload("66x40x64:f32:f32:f32:ldc=50"))
        self.assertIn("gaps between the rows of C", attempt.failure.reason)

    def test_every_type_is_negated_in_place(self):
        for types in ("bf16:f16:f32", "e4m3:e4m3fnuz:f32", "int8/row:f32:f32", "e2m1/1x32:e2m1/1x32:f32"):
            load = workload(f"5x7x66:{types}", sets=1)
            before = load.arena.sets.copy()
            for name in ("a", "w"):
                load.negate(name, 0)
                self.assertFalse((before == load.arena.sets).all(), types)
                self.assertEqual(load.signs[0], -1.0)
                load.negate(name, 0)
            self.assertTrue((before == load.arena.sets).all(), types)

    def test_bounds_are_those_of_the_protocol(self):
        rules = rules_of(parse_problem("8x8x1024:e4m3:e4m3:bf16"))
        expected = 2 ** -7 * 3 + (4 * 2 ** -24 * 32 + 2 ** -12) * 10 + 2 ** -14 * 1024 * 9 / 10
        arrays = DEVICE.arrays
        found = rules.allowed(arrays, arrays.array([3.0], "f64"), arrays.array([10.0], "f64"))
        self.assertAlmostEqual(float(found[0]), expected, places=12)


def _right_output(load):
    judge = load._judge(0)
    p = load.problem
    import numpy
    a, w = (numpy.asarray(x, dtype=numpy.float64) for x in (load.plain.a, load.plain.w))
    x = a @ numpy.swapaxes(w, -1, -2)
    x = x + (load.plain.bias if p.bias else 0) + (load.plain.residual if p.residual else 0)
    assert judge.samples
    return numpy.maximum(x, 0) if p.activation == "relu" else x


if __name__ == "__main__":
    unittest.main()
