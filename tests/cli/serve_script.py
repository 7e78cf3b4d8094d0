#!/usr/bin/env python3
"""Online tuning: a program that multiplies new shapes, and `gemmtune serve` beside it.

usage: serve_script.py GEMMTUNE ONLINE_PROGRAM
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

ONLINE = os.path.abspath(sys.argv.pop(2))

from harness import PATIENCE_S, CommandTest, main  # noqa: E402  (it reads the program's path from sys.argv)

QUICK = ("--", "--libtype", "cpu_tile,openblas", "--most_candidates", "3", "--iters", "5")
CAPTURE_HEADER = "gfx,cu_num,M,N,K,problem,match,calls,tuned_m,expected_us\n"


def processes_in(folder):
    """Command lines of the processes that have this folder in theirs."""
    found = []
    for process in pathlib.Path("/proc").iterdir():
        try:
            words = (process / "cmdline").read_text(errors="replace") if process.name.isdigit() else ""
        except OSError:
            continue
        if str(folder) in words:
            found.append(words.replace("\0", " "))
    return found


class Serve(CommandTest):
    def setUp(self):
        super().setUp()
        self.table = self.folder / "online_tuned.csv"
        self.capture = self.folder / "capture.csv"
        cpu = json.loads(self.succeed("devices", "--json").stdout)[0]
        self.device = f"{cpu['arch']},{cpu['cu_num']}"

    def captured(self, problem, match="fallback", calls=10, device=None):
        m, n, k = problem.split(":")[0].split("x")
        return f"{device or self.device},{m},{n},{k},{problem},{match},{calls},0,0\n"

    def serve(self, *options):
        return ("serve", "--watch", str(self.capture), "-o", str(self.table), "--device", "cpu", "--interval", "0.2", *options)

    def tuned(self):
        return {row["problem"]: row for row in self.rows(self.table)}

    def wait_until(self, is_true):
        deadline = time.monotonic() + PATIENCE_S
        while not is_true():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_a_running_program_gets_tuned_kernels(self):
        variables = {
            **os.environ,
            "GEMMTUNE_CONFIG_A16W16": str(self.table),
            "GEMMTUNE_RELOAD_INTERVAL": "0.1",
            "GEMMTUNE_CAPTURE": str(self.capture),
            "GEMMTUNE_CAPTURE_INTERVAL": "0.1",
        }
        shapes = ("24x48x64", "3x40x96")
        program = subprocess.Popen([ONLINE, str(PATIENCE_S), *shapes], env=variables, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            self.wait_until(self.capture.exists)
            with self.running(*self.serve(*QUICK)) as tuner:
                output, errors = program.communicate(timeout=PATIENCE_S)
                tuner.send_signal(signal.SIGTERM)
                self.assertEqual(tuner.wait(timeout=PATIENCE_S), 128 + signal.SIGTERM)
        finally:
            program.kill()
            program.communicate()
        self.assertEqual(program.returncode, 0, output + errors)
        rows = self.tuned()
        for shape in shapes:
            problem = f"{shape}:f32:f32:f32"
            lines = [line for line in output.splitlines() if line.startswith(problem)]
            self.assertRegex(lines[0], r": fallback: ", output)
            self.assertIn(f": exact: {rows[problem]['kernelName']},", lines[-1], output)
            self.assertLess(float(rows[problem]["errRatio"]), 0.05)
        self.assertEqual(processes_in(self.folder), [])

    def test_tunes_once_what_no_row_serves(self):
        waiting, served, elsewhere = "8x16x32:f32:f32:f32", "8x16x48:f32:f32:f32", "8x16x64:f32:f32:f32"
        text = self.captured(waiting) + self.captured(served, "exact") + self.captured(elsewhere, device="gfx950,256")
        self.capture.write_text(CAPTURE_HEADER + text)
        self.succeed(*self.serve("--once", *QUICK))
        self.assertEqual(list(self.tuned()), [waiting])
        before = self.table.read_text()
        again = self.succeed(*self.serve("--once", *QUICK))
        self.assertNotIn("tuning", again.stderr)
        self.assertEqual(self.table.read_text(), before)
        self.assertEqual([path.name for path in self.folder.glob("*waiting*")], [])

    def test_shapes_of_several_formats_go_into_one_table(self):
        problems = ["8x16x32:f32:f32:f32", "8x32x64:int8/row:int8/row:bf16", "4x16x32:f32:f32:f32:bias"]
        self.capture.write_text(CAPTURE_HEADER + "".join(map(self.captured, problems)))
        self.succeed(*self.serve("--once", "--", "--libtype", "cpu_reference,cpu_tile", "--most_candidates", "2", "--iters", "5"))
        self.assertEqual(sorted(self.tuned()), sorted(problems))

    def test_a_shape_that_cannot_be_tuned_is_given_up_and_the_others_are_tuned(self):
        impossible, possible = "64x64x64:f16:f16:f16", "8x16x32:f32:f32:f32"
        self.capture.write_text(CAPTURE_HEADER + self.captured(impossible, calls=10**9) + self.captured(possible))
        result = self.succeed(*self.serve("--once", "--", "--libtype", "openblas", "--iters", "5"))
        self.assertEqual(list(self.tuned()), [possible])
        self.assertEqual(result.stderr.count(f"{impossible}: the tuner exited with 1"), 2, result.stderr)
        self.assertIn("it is given up", result.stderr)

    def test_a_tuner_that_is_killed_costs_one_attempt(self):
        self.capture.write_text(CAPTURE_HEADER + self.captured("8x16x32:f32:f32:f32"))
        slow = ("--", "--worker", f"sh -c 'kill -9 $PPID; sleep 60' {self.folder}", "--libtype", "all")
        result = self.succeed(*self.serve("--once", *slow))
        self.assertEqual(result.stderr.count("the tuner killed by signal 9 (SIGKILL)"), 2, result.stderr)
        self.assertEqual(self.tuned(), {})

    def test_ending_leaves_no_process_behind(self):
        self.capture.write_text(CAPTURE_HEADER + self.captured("2000x2000x2000:f32:f32:f32"))
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            with self.running(*self.serve("--", "--libtype", "cpu_reference")) as tuner:
                self.wait_until(lambda: len(processes_in(self.folder)) >= 2)
                tuner.send_signal(number)
                ended = tuner.wait(timeout=PATIENCE_S)
                self.assertEqual(ended, -number if number == signal.SIGKILL else 128 + number)
            self.wait_until(lambda: processes_in(self.folder) == [])

    def test_a_capture_that_cannot_be_read_is_named_once_and_looked_at_again(self):
        self.capture.write_text("a,b\n1,2\n")
        with self.running(*self.serve(*QUICK)) as tuner:
            self.assertIn("watching", tuner.stderr.readline())
            self.assertIn("expected those of a capture", tuner.stderr.readline())
            self.capture.write_text(CAPTURE_HEADER + self.captured("8x16x32:f32:f32:f32"))
            self.wait_until(lambda: self.tuned() != {})
            self.assertIn("tuning 8x16x32", tuner.stderr.readline())

    def test_rests_for_the_agreed_share(self):
        self.capture.write_text(CAPTURE_HEADER + self.captured("8x16x32:f32:f32:f32"))
        start = time.monotonic()
        log = self.succeed(*self.serve("--once", "--share", "40", *QUICK)).stderr
        took = time.monotonic() - start
        worked = [float(seconds) for seconds in re.findall(r", after ([\d.]+) s", log)]
        self.assertEqual(len(worked), 1, log)
        self.assertGreater(took, worked[0] / 0.4 - 0.5, log)  # it is rounded

    def test_bad_options_are_usage_errors(self):
        for options in (("--interval", "soon"), ("--share", "0"), ("--share", "nan")):
            self.fail_with(2, *self.serve(*options))
        self.fail_with(2, "serve", "-o", "x.csv")
        self.fail_with(4, "serve", "--watch", "c.csv", "-o", "t.csv", "--device", "cuda:77")


if __name__ == "__main__":
    main()
