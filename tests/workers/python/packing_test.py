"""Weights are packed once, for each operand set its own, outside of what is timed."""

import base64
import pathlib
import types
import unittest

import numpy
import packing_backend
from gemmtune_worker.arrays import NumpyArrays
from gemmtune_worker.attempt import Attempt
from gemmtune_worker.device import CpuDevice
from gemmtune_worker.operands import Plain
from gemmtune_worker.problem import parse_problem
from gemmtune_worker.workload import Workload, operand_bytes, rotation_count
from worker_process import Worker, policy

PACKING = str(pathlib.Path(__file__).with_name("packing_backend.py"))
PROBLEM = "33x40x64:f32:f32:f32:packed"
PACKED_BYTES = 40 * 64 * 4
MIB = 1 << 20


class PackingTest(unittest.TestCase):
    def setUp(self):
        self.worker = Worker(PACKING)
        self.addCleanup(self.worker.end)

    def evaluate(self, names, stage, problem=PROBLEM, **measure):
        found = self.worker.evaluate([f"packing_{name}" for name in names], stage, "packing", problem, **measure)
        return {name.removeprefix("packing_"): one for name, one in found.items()}

    def test_packed_weights_are_checked_timed_and_reported(self):
        for stage in ("screen", "confirm", "prove"):
            for name, one in self.evaluate(["transposed", "unpacked"], stage, cold_cache=True).items():
                self.assertEqual(one["outcome"], "ok", f"{stage} {name}: {one['reason']}")
                if stage != "prove":
                    packed = name == "transposed"
                    self.assertEqual(one["timing"]["packed_bytes"], PACKED_BYTES if packed else 0)
                    self.assertEqual(one["timing"]["pack_us"] > 0, packed, one["timing"])

    def test_weights_are_not_packed_where_each_call_finds_them(self):
        found = self.evaluate(["transposed", "unpacked"], "screen", PROBLEM.removesuffix(":packed"))
        self.assertEqual(found["unpacked"]["outcome"], "ok")
        self.assertEqual(found["transposed"]["outcome"], "unsupported")
        self.assertIn("':packed'", found["transposed"]["reason"])

    def test_packing_is_not_part_of_a_launch_nor_compiling_of_packing(self):
        found = self.evaluate(["slow", "slow_at_first"], "screen")
        slow_us = packing_backend.SLOW_S * 1e6
        self.assertLess(found["slow"]["timing"]["median_us"], slow_us)
        self.assertGreaterEqual(found["slow"]["timing"]["pack_us"], slow_us)
        self.assertLess(found["slow_at_first"]["timing"]["pack_us"], 10 * slow_us)
        self.assertGreaterEqual(found["slow_at_first"]["cost"]["prepare_s"], 10 * packing_backend.SLOW_S)

    def test_faults_of_packing_become_outcomes(self):
        expected = {"forgets_a_column": ("wrong_result", "rounding explains"),
                    "changes_weights": ("wrong_result", "the operand w was overwritten"),
                    "wears": ("wrong_result", "rounding explains"), "wants_w": ("launch_failed", ""),
                    "declines": ("unsupported", "no weights are good enough"),
                    "raises": ("compile_failed", "ValueError: for packed weights")}
        for stage in ("screen", "confirm", "prove"):
            found = self.evaluate(["transposed", *expected], stage)
            self.assertEqual(found["transposed"]["outcome"], "ok", f"{stage}, after others damaged the weights")
            for name, (outcome, reason) in expected.items():
                one = found[name]
                self.assertEqual(one["outcome"], outcome, f"{stage} {name}: {one['reason']}")
                self.assertIn(reason, one["reason"], f"{stage} {name}")

    def test_what_is_declined_is_said_and_not_wrong(self):
        one = self.evaluate(["declines_zeros"], "prove")["declines_zeros"]
        self.assertEqual((one["outcome"], one["reason"]),
                         ("ok", "declined zero_blocks: a row of the weights is zero"))

    def test_held_candidates_tell_what_they_packed(self):
        candidate = {"family": "packing", "name": "packing_transposed"}
        replies = self.worker.ask("hold", problem=PROBLEM, candidates=[candidate], memory_share=0.5,
                                  policy=policy("confirm", cold_cache=True))
        held = next(reply for reply in replies if reply["type"] == "held")
        self.assertEqual(held["packed_bytes"], PACKED_BYTES)
        self.assertGreater(held["pack_us"], 0)
        sampled = self.worker.ask("sample", candidate=candidate, warmup=1, count=5, judge=True)[-1]
        self.assertEqual(len(sampled["samples_us"]), 5)
        settled = self.worker.ask("settle", candidates=[candidate])[1]["evaluation"]
        self.assertEqual(settled["outcome"], "ok", settled)

    def test_audits_multiply_packed_weights(self):
        drawn = Plain(NumpyArrays(), parse_problem(PROBLEM), "gaussian", 9)
        expected = drawn.a[0] @ drawn.w[0].T
        for name, right in (("transposed", True), ("forgets_a_column", False)):
            candidate = {"family": "packing", "name": f"packing_{name}"}
            reply = self.worker.ask("multiply", problem=PROBLEM, candidate=candidate, seed=9, recipe="gaussian",
                                    rows=[32])[0]
            row = numpy.frombuffer(base64.b64decode(reply["rows"][0]), dtype="<f4")
            self.assertEqual(numpy.allclose(row, expected[32], atol=1e-4), right, name)
        reply = self.worker.ask("multiply", problem=PROBLEM, seed=9, recipe="gaussian", rows=[0],
                                candidate={"family": "packing", "name": "packing_raises"})[0]
        self.assertEqual(reply["outcome"], "compile_failed")


class SetsTest(unittest.TestCase):
    def test_each_set_has_packed_weights_of_its_own(self):
        device, problem = CpuDevice(), parse_problem(PROBLEM)
        load = Workload(device, problem, ("gaussian", 7), {})
        load.grow(5)
        attempt = Attempt(device, {"family": "packing", "name": "packing_transposed"}, "confirm")
        attempt.kernel = packing_backend.KERNELS["packing_transposed"]()
        self.assertTrue(attempt.load(load, lambda packed_bytes: 3 if packed_bytes == PACKED_BYTES else 0))
        self.assertEqual(len({one.packed.ctypes.data for one in attempt.sets(load)}), 3)
        self.assertTrue(all(one.w is None and one.c is load.operands[i].c for i, one in enumerate(attempt.sets(load))))

    def test_packed_weights_count_where_memory_is_short(self):
        problem = parse_problem("64x4096x4096:f32:f32:f32:packed")
        count = lambda cache, memory, packed: rotation_count(
            problem, types.SimpleNamespace(last_level_cache_bytes=cache, memory_bytes=memory), True, packed)
        each, w = operand_bytes(problem), problem.stored_w().bytes()
        self.assertEqual(count(320 * MIB, 0, 0), -(-640 * MIB // each))
        self.assertEqual(count(320 * MIB, 0, w), -(-640 * MIB // each))
        self.assertEqual(count(320 * MIB, 0, 3 * w), -(-640 * MIB // (each + 2 * w)), "they fill the cache earlier")
        self.assertEqual(count(320 * MIB, 0, w // 4), count(320 * MIB, 0, 0), "no more than there are")
        self.assertEqual(count(320 * MIB, 8 * 5 * each, 0), 5)
        self.assertEqual(count(320 * MIB, 8 * 5 * each, each), 2)
        self.assertEqual(count(320 * MIB, 8 * each, each), 1)


if __name__ == "__main__":
    unittest.main()
