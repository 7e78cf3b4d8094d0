#!/usr/bin/env python3
"""Workers of other programs in tune, bench, families and evaluate: the example worker, with faults and without."""
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import time
import unittest
import unittest.mock

from harness import PROGRAM, CommandTest, main, shape_list

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "workers" / "example_worker.py"
TURNS = ROOT / "tests" / "worker" / "turns" / "turns.py"
PROBLEM = "8x16x32:f32:f32:f32"
QUICK = ("--device", "cpu", "--iters", "5")


def example():
    return shlex.join([sys.executable, "-B", str(EXAMPLE)])


def turns(mode, family="pure_python"):
    return shlex.join([sys.executable, "-B", str(TURNS), str(EXAMPLE), mode, family])


def processes_with(word):
    """Ids of the processes that have this in their command lines."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and word in (folder / "cmdline").read_text(errors="replace"):
                found.append(int(folder.name))
        except OSError:
            pass
    return found


class Workers(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("f32.csv", shape_list([(8, 16, 32)]))
        variables = unittest.mock.patch.dict(os.environ, {"XDG_CONFIG_HOME": str(self.folder / "config")})
        variables.start()
        self.addCleanup(variables.stop)

    def name_worker(self, name, command, more=""):
        folder = self.folder / "config" / "gemmtune"
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / "workers.toml", "a", encoding="utf-8") as file:
            file.write(f"[{name}]\ncommand = {json.dumps(shlex.split(command))}\n")
            file.write(f"families = [{json.dumps(name)}]\n{more}\n")

    def tune_with(self, run, *arguments):
        return run("tune", "-i", "f32.csv", "-o", "out.csv", *QUICK, *arguments)

    def test_it_wins_where_it_is_alone(self):
        result = self.tune_with(self.succeed, "--worker", example(), "--libtype", "pure_python", "--schema", "gemmtune")
        row, = self.rows("out.csv")
        self.assertEqual(row["libtype"], "pure_python")
        self.assertTrue(row["kernelName"].startswith("python_"), row)
        self.assertRegex(row["library"], r"^pure_python \d+\.\d+")
        self.assertNotIn("note:", result.stdout)
        self.assertIn(("prove"), [stage for _, _, stage in self.trials("out.trials.db")])

    def test_it_loses_against_compiled_code(self):
        self.write("f32.csv", shape_list([(64, 96, 128)]))  # too large for a stalled thread to make up for Python
        self.tune_with(self.succeed, "--worker", example(), "--libtype", "pure_python,cpu_reference", "--search",
                       "exhaustive")
        row, = self.rows("out.csv")
        self.assertEqual(row["libtype"], "cpu_reference")
        tried = {candidate for _, candidate, _ in self.trials("out.trials.db")}
        self.assertIn("python_dot", tried)

    def test_all_means_the_workers_that_were_given_too(self):
        self.tune_with(self.succeed, "--worker", example(), "--most_candidates", "2", "--search", "exhaustive")
        tried = {candidate for _, candidate, _ in self.trials("out.trials.db")}
        self.assertTrue(any(candidate.startswith("python_") for candidate in tried), tried)
        self.assertTrue(any(candidate.startswith("onednn") for candidate in tried), tried)

    def test_a_worker_that_computes_nothing_never_wins(self):
        result = self.tune_with(self.fail_with_1, "--worker", turns("computes_nothing"), "--libtype", "pure_python")
        self.assertEqual(self.rows("out.csv"), [])
        self.assertIn("at the audit", result.stdout)
        self.succeed("tune", "-i", "f32.csv", "-o", "both.csv", *QUICK, "--worker", turns("computes_nothing"),
                     "--libtype", "pure_python,cpu_reference")
        row, = self.rows("both.csv")
        self.assertEqual(row["libtype"], "cpu_reference")

    def test_our_own_worker_keeps_to_the_protocol_with_layouts_and_batches(self):
        for problem in ("8x16x32:f32:f32:f32:nn:ldc=40:bias", "5x6x64:bf16:bf16:bf16:batch=3",
                        "8x32x64:int8/row:int8/row:bf16"):
            self.succeed("worker-check", "--problem", problem, PROGRAM, "worker", "--families", "cpu_reference")

    def test_a_command_comes_before_a_worker_of_the_same_family_that_has_a_name(self):
        self.name_worker("pure_python", turns("cannot_start", "pure_python"))
        result = self.tune_with(self.succeed, "--worker", example(), "--libtype", "pure_python")
        self.assertEqual(self.rows("out.csv")[0]["libtype"], "pure_python")
        self.assertNotIn("no module named", result.stderr)

    def fail_with_1(self, *arguments):
        return self.fail_with(1, *arguments)

    def test_a_worker_that_computes_nothing_fails_its_check(self):
        result = self.fail_with(1, "worker-check", *shlex.split(turns("computes_nothing")))
        failed = [line for line in result.stdout.splitlines() if line.startswith("FAILED")]
        self.assertEqual(len(failed), 1, result.stdout)
        self.assertIn("FAILED multiplies what it is asked to multiply", failed[0])

    def test_an_exception_costs_one_candidate_and_its_last_line_is_the_reason(self):
        result = self.tune_with(self.succeed, "--worker", turns("raises"), "--libtype", "pure_python", "--search",
                                "exhaustive")
        self.assertRegex(result.stdout, r"python_index: the worker refused: ZeroDivisionError: ")
        self.assertNotIn("python_dot: ", result.stdout)

    def test_version_1_cannot_win_unless_it_is_trusted(self):
        result = self.tune_with(self.fail_with_1, "--worker", turns("protocol_1"), "--libtype", "pure_python")
        self.assertEqual(self.rows("out.csv"), [])
        self.assertIn("its results cannot be audited, because its worker speaks version 1", result.stdout)
        self.name_worker("old", turns("protocol_1", "old"), "trusted = true")
        result = self.succeed("tune", "-i", "f32.csv", "-o", "trusted.csv", *QUICK, "--libtype", "old,cpu_reference",
                              "--search", "exhaustive")
        self.assertEqual(len(self.rows("trusted.csv")), 1)
        self.assertIn("note: the times of old were not taken in turns with those of other workers", result.stdout)

    def test_workers_have_names(self):
        self.name_worker("snake", turns("honest", "snake"))
        self.name_worker("adder", turns("cannot_start", "adder"))
        result = self.tune_with(self.succeed, "--libtype", "snake,adder")
        self.assertEqual(self.rows("out.csv")[0]["libtype"], "snake")
        lines = [line for line in result.stderr.splitlines() if "adder" in line]
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertTrue(lines[0].endswith("adder: no module named adder; pip install adder"), lines)
        alone = self.fail_with(4, "tune", "-i", "f32.csv", "-o", "none.csv", *QUICK, "--libtype", "adder")
        self.assertIn("adder: no module named adder; pip install adder", alone.stderr)
        unknown = self.fail_with(2, "tune", "-i", "f32.csv", "-o", "none.csv", *QUICK, "--libtype", "viper")
        self.assertIn("--libtype: found 'viper'", unknown.stderr)
        self.assertIn("snake", unknown.stderr)

    def test_a_file_that_is_wrong_is_named(self):
        self.name_worker("snake", "x", "colour = 3")
        result = self.fail_with(3, "tune", "-i", "f32.csv", "-o", "out.csv", *QUICK, "--libtype", "snake")
        self.assertRegex(result.stderr, r"config/gemmtune/workers\.toml:4:\d+: colour is unknown, expected command")

    def test_families_are_listed_with_their_reasons(self):
        self.name_worker("snake", turns("honest", "snake"))
        listed = json.loads(self.succeed("families", "--libtype", "snake", "--json").stdout)
        self.assertIn("snake", [family["family"] for family in listed])
        answers = json.loads(self.succeed("families", "--problem", "8x16x32:bf16:bf16:bf16", "--libtype", "snake",
                                          "--json").stdout)
        snake, = [family for family in answers if family["family"] == "snake"]
        self.assertEqual(snake["why_not"], "only f32 is multiplied here")
        self.assertIn("other workers, by --libtype: snake", self.succeed("families").stderr)

    def test_bench_has_a_column_for_it(self):
        result = self.succeed("bench", "--problem", PROBLEM, "--backends", "pure_python,cpu_reference", "--worker",
                              example(), "--device", "cpu", "--most_candidates", "1", "--iters", "5", "--json")
        shape, = json.loads(result.stdout)["shapes"]
        backends = {one["backend"]: one for one in shape["backends"]}
        for name in ("pure_python", "cpu_reference"):
            self.assertEqual(backends[name]["outcome"], "ok", backends)

    def test_evaluate_takes_turns_with_it(self):
        result = self.succeed("evaluate", "--problem", PROBLEM, "--worker", example(), "--candidate",
                              "cpu_reference_f64_t1", "python_dot")
        self.assertIn("python_dot of pure_python\nconfirm     ok", result.stdout)
        speed = re.findall(r"speed +([\d.]+) of the first's", result.stdout)
        self.assertEqual(speed[0], "1.000")
        self.assertLess(float(speed[1]), 1)

    def test_processes_apart_measure_what_one_process_measures(self):
        """In one process, and in two that take turns. The machine is shared, so the least times are compared, and only
        large differences are told."""
        names = ("cpu_reference_f64_t1", "onednn_f32_plain_t1")
        problem = ("evaluate", "--problem", "96x96x96:f32:f32:f32", "--device", "cpu", "--candidate", *names)
        ratios = []
        for more in ((), ("--apart",)):
            least = re.findall(r"least ([\d.]+)\)", self.succeed(*problem, *more).stdout)
            self.assertEqual(len(least), 2)
            ratios.append(float(least[0]) / float(least[1]))
        self.assertGreater(ratios[1], 0.5 * ratios[0], ratios)
        self.assertLess(ratios[1], 2 * ratios[0], ratios)

    def expect_to_be_gone(self, mark):
        """Within ten seconds."""
        for _ in range(100):
            if not processes_with(mark):
                break
            time.sleep(0.1)
        self.assertEqual(processes_with(mark), [])

    def test_an_interrupt_leaves_no_process(self):
        self.write("many.csv", shape_list([(8, n, 64) for n in range(16, 400)]))
        mark = f"pure_python_of_{os.getpid()}"
        with self.running("tune", "-i", "many.csv", "-o", "many_out.csv", "--device", "cpu", "--worker",
                          turns("honest", mark), "--libtype", f"{mark},cpu_reference") as process:
            self.wait_for_shapes(process, 1)
            self.assertTrue(set(processes_with(mark)) - {process.pid})
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130)
        self.expect_to_be_gone(mark)

    def test_a_kill_leaves_no_process(self):
        self.write("many.csv", shape_list([(8, n, 64) for n in range(16, 400)]))
        mark = f"pure_python_for_{os.getpid()}"
        with self.running("tune", "-i", "many.csv", "-o", "many_out.csv", "--device", "cpu", "--worker",
                          turns("honest", mark), "--libtype", f"{mark},cpu_reference") as process:
            self.wait_for_shapes(process, 1)
        self.expect_to_be_gone(mark)


class ExampleWorker(CommandTest):
    def test_it_writes_json_without_infinity(self):
        """A wrong result has infinite errors, for which JSON has no word."""
        request = {"type": "evaluate", "id": 1, "problem": "2x2x4:f32:f32:f32",
                   "candidates": [{"family": "pure_python", "name": "python_dot"}],
                   "policy": {"stage": "screen", "seed": 0,
                              "verify": {"err_ratio_limit": 0.05, "atol": 0.01, "rtol": 0.01,
                                         "full_reference_flops": 1000},
                              "measure": {"warmup": 0, "min_samples": 1, "max_samples": 1, "max_sampling_s": 1,
                                          "target_dispersion": 0.1, "cold_cache": False, "keep_samples": True}}}
        code = (f"import sys; sys.path.insert(0, {str(EXAMPLE.parent)!r}); import example_worker as e; "
                "e.KERNELS['python_dot'] = lambda p, a, w, bias, c: c.__setitem__(0, float('inf')); e.Worker().serve()")
        answer = subprocess.run([sys.executable, "-B", "-c", code], input=json.dumps(request) + "\n", text=True,
                                capture_output=True, timeout=60, check=True).stdout
        self.assertIn("wrong_result", answer)
        for line in answer.splitlines():
            json.loads(line, parse_constant=lambda word: self.fail(f"{word} in {line}"))


if __name__ == "__main__":
    main()
