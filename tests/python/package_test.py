#!/usr/bin/env python3
"""Plans and launches on the CPU through the Python package, without torch."""
import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import gemmtune
from gemmtune.tune import INSIDE

M, N, K = 4, 8, 16
PROBLEM = f"{M}x{N}x{K}:f32:f32:f32:bias"


def floats(values):
    return (ctypes.c_float * len(values))(*values)


def address(array):
    return ctypes.addressof(array)


class Block:
    """Bytes that begin at a multiple of 256."""

    def __init__(self, size):
        self.memory = ctypes.create_string_buffer(size + 256)
        self.address = address(self.memory) + -address(self.memory) % 256


def multiply(plan):
    """C of A[m][k] = m + 1, W = 1, bias[n] = n."""
    a, w = floats([i // K + 1 for i in range(M * K)]), floats([1] * (N * K))
    bias, c = floats(range(N)), floats([-1] * (M * N))
    workspace = Block(plan.info.workspace_bytes)
    plan.launch(a=address(a), w=address(w), bias=address(bias), c=address(c), workspace=workspace.address,
                workspace_bytes=plan.info.workspace_bytes)
    return list(c)


EXPECTED = [K * (m + 1) + n for m in range(M) for n in range(N)]


class OnTheCpu(unittest.TestCase):
    def setUp(self):
        self.said = []
        self.runtime = gemmtune.Runtime(device="cpu", tables="", say=self.said.append)

    def tearDown(self):
        self.runtime.close()

    def test_multiplies_with_the_default(self):
        plan = self.runtime.plan(PROBLEM)
        self.assertEqual((plan.info.match, plan.info.libtype), ("fallback", "onednn"))
        self.assertEqual(multiply(plan), EXPECTED)
        self.assertEqual(self.runtime.counters()["launches"], 1)
        self.assertIn("onednn", self.runtime.summary())

    def test_plans_outlive_their_runtime(self):
        plan = self.runtime.plan(PROBLEM)
        self.runtime.close()
        self.assertEqual(multiply(plan), EXPECTED)

    def test_refusals_are_exceptions_with_a_status(self):
        plan = self.runtime.plan(PROBLEM)
        with self.assertRaisesRegex(gemmtune.Error, "a is null, and the problem has it") as caught:
            plan.launch()
        self.assertEqual(caught.exception.status, "invalid_argument")
        with self.assertRaisesRegex(gemmtune.Error, "column 1"):
            self.runtime.plan("nonsense")
        with self.assertRaises(gemmtune.Error) as caught:
            gemmtune.Runtime(device="cuda:77")
        self.assertEqual(caught.exception.status, "no_device")

    def test_nothing_compiles_where_it_may_not(self):
        runtime = gemmtune.Runtime(device="cpu", tables="", compile="prewarm", say=self.said.append)
        with self.assertRaises(gemmtune.Error) as caught:
            runtime.plan(PROBLEM)
        self.assertEqual(caught.exception.status, "not_ready")
        self.assertEqual(runtime.prewarm([PROBLEM, "8x8x8:bf16:bf16:bf16"]), (2, ""))
        self.assertEqual(multiply(runtime.plan(PROBLEM)), EXPECTED)

    def test_a_tables_kernel_runs_and_a_broken_table_is_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "a16w16_tuned_gemm.csv"
            table.write_text("gfx,cu_num,M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle,libtype,solidx,splitK,us,kernelName,"
                             "err_ratio,tflops,bw\n")
            runtime = gemmtune.Runtime(table, "cpu", fallback="none", say=self.said.append)
            with self.assertRaisesRegex(gemmtune.Error, "no table has a row for it"):
                runtime.plan(PROBLEM)
            self.assertEqual(runtime.poll(), "unchanged")
            table.write_text("no table\n")
            self.assertEqual(runtime.poll(), "failed")
            self.assertTrue(self.said)

    def test_the_structs_have_the_sizes_that_the_library_knows(self):
        """A wrong size is refused, so each struct is used once."""
        self.assertEqual(gemmtune.parse_problem(PROBLEM).n, N)
        self.assertGreaterEqual(self.runtime.plan(PROBLEM).info.alignment, 4)
        self.assertEqual(set(self.runtime.counters()) - {"launches"}, {
            "exact", "padded", "nearest", "fallback", "missed", "declined", "launches_tuned", "refused", "reloads"})


class ThePackage(unittest.TestCase):
    def test_the_example(self):
        example = pathlib.Path(__file__).resolve().parents[2] / "examples" / "runtime-python" / "main.py"
        result = subprocess.run([sys.executable, example, "5", "6", "40"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        kernel, error = result.stdout.splitlines()
        self.assertRegex(kernel, r"^onednn_\w+ \(fallback\), \d+ bytes of workspace$")
        self.assertEqual(error, "largest error: 0")

    def test_says_where_it_looked_for_the_library(self):
        result = subprocess.run([sys.executable, "-c", "import gemmtune"], capture_output=True, text=True,
                                env={**os.environ, "GEMMTUNE_LIBRARY": "/nowhere/libgemmtune.so"})
        self.assertIn("GEMMTUNE_LIBRARY may name it: /nowhere/libgemmtune.so", result.stderr)

    @unittest.skipUnless(os.environ.get("GEMMTUNE_PROGRAM") or INSIDE.exists(), "the program gemmtune is not there")
    def test_what_is_tuned_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "a16w16_tuned_gemm.csv"
            problem = "4x16x32:f32:f32:f32"
            printed = gemmtune.tune([problem], table, "--format", "a16w16", "--schema", "gemmtune", "--budget", "20s")
            self.assertIn("1 tuned, 0 failed", printed)
            runtime = gemmtune.Runtime(table, "cpu", fallback="none")
            self.assertEqual(runtime.plan(problem).info.match, "exact")
            with self.assertRaises(gemmtune.Error):
                gemmtune.tune([problem], table, "--no-such-option")

    def test_unknown_names_are_attribute_errors(self):
        with self.assertRaises(AttributeError):
            gemmtune.no_such_function


if __name__ == "__main__":
    unittest.main()
