#!/usr/bin/env python3
"""libgemmtune_preload.so in a program that calls cuBLASLt and cuBLAS, with libraries that only say what they would run.

usage: preload_script.py CALLER PRELOAD
"""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PRELOAD, CALLER = (os.path.abspath(sys.argv.pop()) for _ in range(2))
HEADER = "gfx,cu_num,M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle,problem,libtype,solidx,splitK,us,kernelName,err_ratio,tflops,bw\n"
TUNED = "cublaslt_a66_t0_s0_k1_r0_z0_o3_i0_c0_f0_w32_v130100"
SPLIT = "cublaslt_a66_t0_s0_k4_r4_z0_o3_i0_c0_f0_w32_v130100"
BF16, F32, FP8 = 14, 0, 28
SANITIZED = any(f"lib{kind}san" in subprocess.run(["ldd", CALLER], capture_output=True, text=True).stdout for kind in "atl")


def row(problem, kernel=TUNED, device="sm90,132"):
    m, n, k = problem.split(":")[0].split("x")
    return f"{device},{m},{n},{k},False,torch.bfloat16,torch.bfloat16,False,False,{problem},cublaslt,-1,0,5,{kernel},0,1,1\n"


PLAIN = "16x64x64:bf16:bf16:bf16"


@unittest.skipIf(SANITIZED, "a library of its own comes before the preloaded one")
class Preloaded(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="gemmtune_preload_")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.table = self.folder / "a16w16_tuned_gemm.csv"
        self.capture = self.folder / "capture.csv"

    def environment(self, rows=(), **more):
        self.table.write_text(HEADER + "".join(rows))
        variables = {"LD_PRELOAD": PRELOAD, "GPU_ARCHS": "sm90", "CU_NUM": "132", "GEMMTUNE_CONFIG_A16W16": str(self.table)}
        variables.update({"GEMMTUNE_CAPTURE": str(self.capture), "GEMMTUNE_SUMMARY": "1"})
        variables.update(more)
        return {**os.environ, **{name: value for name, value in variables.items() if value is not None}}

    def run_with(self, calls, rows=(), **more):
        result = subprocess.run([CALLER, *calls], env=self.environment(rows, **more), text=True, capture_output=True, timeout=100)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result

    def lines(self, call, rows=(row(PLAIN),), **more):
        """What the library was asked to run, without the program's own lines."""
        return [line[9:] for line in self.run_with([call], rows, **more).stdout.splitlines() if line.startswith("library: ")]

    def algo(self, call, rows=(row(PLAIN),), **more):
        lines = self.lines(call, rows, **more)
        self.assertEqual(len(lines), 1, lines)
        return lines[0].split(" algo=")[1].split()[0] if " algo=" in lines[0] else lines[0].split()[0]

    def captured(self):
        if not self.capture.exists():
            return {}
        with open(self.capture, newline="") as file:
            return {one["problem"]: (one["match"], int(one["calls"])) for one in csv.DictReader(file)}

    def test_the_tuned_algorithm_runs_where_the_program_leaves_the_choice(self):
        self.assertEqual(self.algo("lt:", rows=()), "none")
        self.assertEqual(self.lines("lt:"), ["cublasLtMatmul 16x64 algo=66/1 workspace=33554432 factors=1,0 stream=7"])

    def test_the_heuristic_answers_with_the_tuned_algorithm_first(self):
        result = self.run_with(["heuristic:", "heuristic:requested=3", "heuristic:requested=9"], [row(PLAIN)])
        answers = [line for line in result.stdout.splitlines() if line.startswith("heuristic")]
        self.assertEqual(answers, ["heuristic: status 0: 66", "heuristic: status 0: 66 1 2", "heuristic: status 0: 66 1 2 3"])
        self.assertEqual(result.stdout.count("algo=66/1"), 3)
        self.assertIn("preloaded: 3 products, 3 of them with tuned algorithms; 3 answers of the heuristic", result.stderr)

    def test_an_algorithm_of_the_programs_own_choice_runs(self):
        result = self.run_with(["heuristic:", "heuristic:workspace=0"], [row(PLAIN, SPLIT)])
        self.assertIn("heuristic: status 0: 66\n", result.stdout)
        self.assertIn("heuristic: status 0: 1\n", result.stdout)
        self.assertIn("algo=1/1", result.stdout)

    def test_limits_of_the_heuristics_preference_are_kept(self):
        for limit, answer in (("reductions=3", 1), ("reductions=7", 66), ("alignment=16", 1), ("alignment=32", 66), ("workspace=1048575", 1)):
            self.assertIn(f"heuristic: status 0: {answer}\n", self.run_with([f"heuristic:{limit}"], [row(PLAIN, SPLIT)]).stdout, limit)

    def test_limits_of_a_call_are_kept(self):
        for limit in ("workspace=1048575", "offset=16"):
            self.assertEqual(self.algo(f"lt:{limit}", [row(PLAIN, SPLIT)]), "none", limit)
        self.assertEqual(self.algo("lt:workspace=1048576,offset=32", [row(PLAIN, SPLIT)]), "66/4")

    def test_only_exactly_the_rows_problem_is_served(self):
        for words in ("m=15", "m=17", "n=128", "k=128", "type=2,out=2", "out=0", "nn=1", "gap=8", "epilogue=2", "epilogue=4,bias=1"):
            self.assertEqual(self.algo(f"lt:{words}"), "none", words)

    def test_other_epilogues_and_layouts_have_rows_of_their_own(self):
        for words, problem in (
            ("epilogue=4,bias=1", "16x64x64:bf16:bf16:bf16:bias"),
            ("epilogue=36,bias=1", "16x64x64:bf16:bf16:bf16:bias:gelu_tanh"),
            ("residual=1,beta=1", "16x64x64:bf16:bf16:bf16:residual"),
            ("nn=1", "16x64x64:bf16:bf16:bf16:nn"),
            ("gap=8", "16x64x64:bf16:bf16:bf16:lda=72"),
            (f"type={F32},out={F32}", "16x64x64:f32:f32:f32"),
            (f"type={F32},out={F32},compute=77", "16x64x64:tf32:tf32:f32"),
        ):
            self.assertEqual(self.algo(f"lt:{words}", [row(problem)]), "66/1", words)
            self.assertEqual(self.captured(), {problem: ("exact", 1)})
            self.capture.unlink()

    def test_what_gemmtune_has_no_word_for_is_the_librarys(self):
        for words in ("alpha=2", "beta=0.5", "beta=1", "aux=1", "sms=64", "row_major=1", "scale_type=14", "compute=64", "device_factors=1"):
            if words != "device_factors=1":
                self.assertEqual(self.algo(f"lt:{words}"), "none", words)
            self.assertEqual(self.captured(), {}, words)

    def test_factors_on_the_device_are_not_read(self):
        result = self.run_with(["lt:device_factors=1"], [row(PLAIN)], FAKE_QUIET="1")
        self.assertIn("lt: status 0", result.stdout)
        result = self.run_with(["gemm:device_factors=1"], [row(PLAIN)], FAKE_QUIET="1")
        self.assertIn("gemm: status 0", result.stdout)
        self.assertEqual(self.captured(), {})

    def test_rows_that_the_library_cannot_run_leave_it_the_choice(self):
        for kernel in (
            TUNED.replace("v130100", "v130000"),
            TUNED.replace("_f0_", "_f1_"),
            TUNED.replace("cublaslt_", "cublaslt_default_"),
            TUNED.replace("_a66_", "_a404_"),
            TUNED.replace("_a66_", "_a405_"),
            "no_such_kernel",
        ):
            self.assertEqual(self.algo("lt:", [row(PLAIN, kernel)]), "none", kernel)
        self.assertEqual(self.algo("lt:", [row(PLAIN, device="sm90,78")]), "none")

    def test_a_refused_launch_is_repeated_as_the_program_asked(self):
        lines = self.lines("lt:", FAKE_REFUSES="66")
        self.assertEqual([line.split(" workspace")[0] for line in lines], ["cublasLtMatmul 16x64 algo=66/1", "cublasLtMatmul 16x64 algo=none"])
        self.assertEqual(len(self.lines("gemm:", FAKE_REFUSES="66")), 2)

    def test_fast_accumulation_must_be_what_the_row_has(self):
        problem = "16x64x64:e4m3/tensor:e4m3/tensor:bf16"
        self.table = self.folder / "a8w8_tuned_gemm.csv"
        fast = TUNED.replace("_f0_", "_f1_")
        for words, kernel, algo in (("", TUNED, "66/1"), ("fast=1,", TUNED, "none"), ("", fast, "none"), ("fast=1,", fast, "66/1")):
            self.assertEqual(self.algo(f"lt:{words}scales=1,type={FP8}", [row(problem, kernel)]), algo, words + kernel)

    def test_plain_products_of_cublas(self):
        self.assertEqual(self.lines("gemm:", rows=()), ["cublasGemmEx 16x64x64"])
        self.assertEqual(self.lines("gemm:"), ["cublasLtMatmul 16x64 algo=66/1 workspace=0 factors=1,0 stream=7"])
        for words in ("alpha=2", "beta=1", "algo=3", "math=2", "offset=16", "m=15", "compute=64"):
            self.assertEqual(self.algo(f"gemm:{words}"), "cublasGemmEx", words)
        self.assertEqual(self.algo("gemm:", [row(PLAIN, SPLIT)]), "cublasGemmEx")  # it needs a workspace
        self.assertEqual(self.algo("gemm:algo=99"), "66/1")
        tf32 = [row("16x64x64:tf32:tf32:f32")]
        self.assertEqual(self.algo(f"gemm:type={F32},out={F32},math=3", tf32), "66/1")
        self.assertEqual(self.algo(f"gemm:type={F32},out={F32}", tf32), "cublasGemmEx")

    def test_batches_of_cublas(self):
        rows = [row("16x64x64:bf16:bf16:bf16:batch=3")]
        self.assertEqual(self.algo("batched:batch=3", rows), "66/1")
        self.assertEqual(self.algo("batched:batch=2", rows), "cublasGemmStridedBatchedEx")

    def test_captures_every_call_with_its_match(self):
        calls = ["lt:"] * 3 + ["lt:m=48", "gemm:", "gemm:m=3", "batched:batch=2", "heuristic:m=5", "lt:alpha=2"]
        self.run_with(calls, [row(PLAIN)])
        expected = {PLAIN: ("exact", 4), "48x64x64:bf16:bf16:bf16": ("fallback", 1), "3x64x64:bf16:bf16:bf16": ("padded_fine", 1)}
        expected.update({"16x64x64:bf16:bf16:bf16:batch=2": ("fallback", 1), "5x64x64:bf16:bf16:bf16": ("padded_fine", 1)})
        self.assertEqual(self.captured(), expected)

    def test_tables_are_reloaded_while_the_program_runs(self):
        self.table.write_text(HEADER)
        before = self.run_with(["lt:"])
        self.assertIn("algo=none", before.stdout)
        variables = self.environment((), GEMMTUNE_RELOAD_INTERVAL="0.05")
        program = subprocess.Popen([CALLER, *["lt:", "pause:count=20000"] * 400], env=variables, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            self.assertIn("algo=none", program.stdout.readline())
            self.table.with_suffix(".new").write_text(HEADER + row(PLAIN))
            self.table.with_suffix(".new").replace(self.table)
            self.assertTrue(any("algo=66/1" in line for line in program.stdout))
        finally:
            program.kill()
            program.communicate()

    def test_one_variable_switches_it_off(self):
        result = self.run_with(["lt:", "gemm:", "heuristic:"], [row(PLAIN)], GEMMTUNE_PRELOAD="0")
        self.assertNotIn("66", result.stdout)
        self.assertEqual((self.captured(), result.stderr), ({}, ""))

    def test_without_tables_and_capture_it_does_nothing(self):
        result = self.run_with(["lt:"], GEMMTUNE_CONFIG_A16W16=None, GEMMTUNE_CAPTURE=None)
        self.assertIn("algo=none", result.stdout)
        self.assertEqual(result.stderr, "")

    def test_a_bad_environment_is_said_once_and_the_program_runs(self):
        result = self.run_with(["lt:", "gemm:", "lt:"], GEMMTUNE_CONFIG_A16W16="/nowhere.csv")
        self.assertEqual(result.stdout.count("library: "), 3)
        self.assertEqual(result.stderr.count("\n"), 1)
        self.assertIn("the preloaded library does nothing: GEMMTUNE_CONFIG_A16W16: none of its files exists", result.stderr)

    def test_an_unknown_device_leaves_everything_to_the_library(self):
        result = self.run_with(["lt:", "gemm:"], [row(PLAIN)], GPU_ARCHS=None, CU_NUM=None, GEMMTUNE_SUMMARY=None)
        self.assertEqual(result.stdout.count("library: "), 2)
        if not pathlib.Path("/dev/nvidia0").exists():
            self.assertEqual(result.stderr.count("the preloaded library does nothing: "), 1, result.stderr)

    def test_nothing_but_the_librarys_functions_is_exported(self):
        symbols = subprocess.run(["nm", "-D", "--defined-only", PRELOAD], text=True, capture_output=True, check=True).stdout
        functions = {"cublasLtMatmul", "cublasLtMatmulAlgoGetHeuristic", "cublasGemmEx", "cublasGemmStridedBatchedEx"}
        self.assertEqual({line.split()[-1] for line in symbols.splitlines()}, functions)

    def test_the_cost_of_a_capture(self):
        costs = {}
        for name, more in (("without", {"LD_PRELOAD": ""}), ("off", {"GEMMTUNE_PRELOAD": "0"}), ("capture", {"GEMMTUNE_CONFIG_A16W16": None})):
            for call in ("bench:", "bench-gemm:"):
                output = self.run_with([call], FAKE_QUIET="1", **more).stdout
                costs[name, call] = float(output.split()[0])
        print(" ".join(f"{name} {call} {cost:.0f} ns;" for (name, call), cost in costs.items()), file=sys.stderr)
        for call in ("bench:", "bench-gemm:"):
            self.assertLess(costs["capture", call] - costs["without", call], 2000)  # of a build without optimisation


if __name__ == "__main__":
    unittest.main()
