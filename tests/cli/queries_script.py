#!/usr/bin/env python3
"""Commands that answer questions: devices, families, problem, evaluate, worker-check, help and version."""
import json
import os
import unittest.mock

from harness import PROGRAM, CommandTest, main

PROBLEM = "8x32x16:f32:f32:f32"


class Devices(CommandTest):
    def test_the_cpu_is_listed(self):
        self.assertRegex(self.succeed("devices").stdout, r"(?m)^cpu:0 ")

    def test_json_says_the_same(self):
        device = json.loads(self.succeed("devices", "--json").stdout)[0]
        self.assertEqual(device["id"], "cpu:0")
        self.assertGreaterEqual(device["cu_num"], 1)


class Families(CommandTest):
    def test_all_of_the_build_are_listed(self):
        names = [family["family"] for family in json.loads(self.succeed("families", "--json").stdout)]
        self.assertIn("cpu_reference", names)
        for name in names:
            self.assertRegex(self.succeed("families").stdout, rf"(?m)^{name} ")

    def test_each_has_candidates_or_a_reason(self):
        for problem in (PROBLEM, "8x32x32:a4w4", "8x128x128:a8w8_blockscale"):
            for family in json.loads(self.succeed("families", "--problem", problem, "--json").stdout):
                with self.subTest(problem=problem, family=family["family"]):
                    self.assertNotEqual(family["why_not"] == "", family["candidate_count"] == 0)

    def test_a_problem_that_does_not_read(self):
        result = self.fail_with(3, "families", "--problem", "8x32:f32")
        self.assertIn("gemmtune: problem '8x32:f32', column 9: found the end", result.stderr)


class Problem(CommandTest):
    def test_is_taken_apart(self):
        text = self.succeed("problem", "64x4096x4096:a4w4").stdout
        self.assertTrue(text.startswith("64x4096x4096:e2m1/1x32:e2m1/1x32:bf16:packed\nformat      a4w4\n"), text)
        self.assertIn("operations  2.147 GFLOP", text)
        self.assertIn("A         131072 and 8192 of scales", text)


class Evaluate(CommandTest):
    def test_several_candidates_are_held_against_the_first(self):
        names = ["cpu_reference_f64_t1", "cpu_reference_f64_t1_of_old"]
        result = self.fail_with(1, "evaluate", "--problem", PROBLEM, "--candidate", *names)
        self.assertIn("speed       1.000 of the first's", result.stdout)
        self.assertEqual([name for name in names if f"{name} of cpu_reference\n" in result.stdout], names)

    def test_a_candidate_that_is_right(self):
        candidate = "cpu_reference_f64_t1"
        text = self.succeed("evaluate", "--problem", PROBLEM, "--candidate", candidate, "--stage", "screen").stdout
        self.assertIn("screen      ok\n", text)
        self.assertRegex(text, r"time +[\d.]+ us, median of \d+ samples")
        self.assertIn("256 elements checked", text)

    def test_memcheck_runs_the_same_command_under_compute_sanitizer(self):
        tool = self.folder / "compute-sanitizer"
        tool.write_text('#!/bin/sh\necho "under $1 $2 $3 $4"\nshift 4\nexec "$@"\n')
        tool.chmod(0o755)
        with unittest.mock.patch.dict(os.environ, {"PATH": f"{self.folder}:{os.environ['PATH']}"}):
            text = self.succeed("evaluate", "--memcheck", "--problem", PROBLEM, "--candidate", "cpu_reference_f64_t1",
                                "--stage", "prove", "--seed", "3", "--device", "cpu").stdout
        self.assertTrue(text.startswith("under --tool memcheck --error-exitcode 1\n"), text)
        self.assertIn("prove       ok\n", text)

    def test_memcheck_keeps_workers_and_processes(self):
        tool = self.folder / "compute-sanitizer"
        tool.write_text('#!/bin/sh\nshift 4\necho "$@"\n')
        tool.chmod(0o755)
        with unittest.mock.patch.dict(os.environ, {"PATH": f"{self.folder}:{os.environ['PATH']}"}):
            text = self.succeed("evaluate", "--memcheck", "--problem", PROBLEM, "--candidate", "mine_1", "--worker",
                                "./mine --on {device}", "--apart").stdout
        self.assertIn("--worker ./mine --on {device} --apart", text)

    def test_memcheck_without_compute_sanitizer(self):
        with unittest.mock.patch.dict(os.environ, {"PATH": str(self.folder)}):
            result = self.fail_with(2, "evaluate", "--memcheck", "--problem", PROBLEM, "--candidate", "cpu_reference_f64_t1")
        self.assertIn("--memcheck: compute-sanitizer of NVIDIA's CUDA toolkit cannot be started", result.stderr)

    def test_without_a_device_that_the_family_runs_on(self):
        families = self.succeed("families").stdout
        if "mxfp4_int8" not in families or "cuda:0" in self.succeed("devices").stdout:
            self.skipTest("needs a build with GPU families, and no GPU")
        result = self.fail_with(4, "evaluate", "--problem", "64x64x64:a4w4", "--candidate", "mxfp4_int8_of_old")
        self.assertIn("this machine has no device that mxfp4_int8 runs on", result.stderr)

    def test_a_name_of_no_family(self):
        result = self.fail_with(2, "evaluate", "--problem", PROBLEM, "--candidate", "warp_drive")
        self.assertIn("gemmtune: --candidate: found 'warp_drive', expected a name that starts with a family's", result.stderr)

    def test_a_name_that_its_family_does_not_know(self):
        result = self.fail_with(1, "evaluate", "--problem", PROBLEM, "--candidate", "cpu_reference_of_old")
        self.assertRegex(result.stdout, r"confirm +(unsupported|compile_failed): ")


class WorkerCheck(CommandTest):
    def test_our_own_worker_keeps_to_the_protocol(self):
        result = self.succeed("worker-check", "--problem", PROBLEM, PROGRAM, "worker", "--device", "cpu")
        self.assertRegex(result.stdout, r"(?m)^(\d+) of \1 checks passed$")
        self.assertNotIn("FAILED", result.stdout)

    def test_a_program_that_is_no_worker(self):
        result = self.fail_with(1, "worker-check", "true")
        self.assertIn("FAILED", result.stdout)

    def test_needs_a_command(self):
        self.assertIn("expected the worker's command", self.fail_with(2, "worker-check").stderr)


class Help(CommandTest):
    def test_each_command_shows_its_page(self):
        for command in ("tune", "devices", "families", "evaluate", "problem", "worker", "worker-check"):
            self.assertIn(f"    gemmtune {command}", self.succeed(command, "--help").stdout)

    def test_without_a_command(self):
        self.assertEqual(self.fail_with(2).stdout, self.succeed("--help").stdout)

    def test_version(self):
        self.assertRegex(self.succeed("--version").stdout, r"^gemmtune \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    main()
