"""The worker as the supervisor sees it: lines in, lines out, whatever a kernel does."""

import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import numpy
from gemmtune_worker.arrays import NumpyArrays
from gemmtune_worker.channel import without_infinities
from gemmtune_worker.compile_ahead import CompileAhead
from gemmtune_worker.cores import compile_processes, usable_cores
from gemmtune_worker.failure import last_line
from gemmtune_worker.operands import Plain
from gemmtune_worker.problem import parse_problem
from worker_process import PROBLEM, Worker, policy

BROKEN = str(pathlib.Path(__file__).with_name("broken_backend.py"))


class ProtocolTest(unittest.TestCase):
    def worker(self, *arguments):
        found = Worker(*arguments)
        self.addCleanup(found.end)
        return found

    def test_says_hello_of_version_2(self):
        hello = self.worker("numpy").hello
        self.assertEqual((hello["type"], hello["protocol"], hello["device"]["kind"]), ("hello", 2, "cpu"))
        self.assertGreaterEqual(hello["device"]["cu_num"], 1)

    def test_a_missing_module_is_one_clear_line(self):
        for family, package in (("torch", "torch"), ("humming", "humming-kernels")):
            code = (f"import sys; sys.modules['{family}'] = None; import gemmtune_worker.__main__ as m; "
                    "sys.exit(m.main())")
            done = subprocess.run([sys.executable, "-c", code, family, "--device", "cpu"], input="", text=True,
                                  capture_output=True, check=False)
            message = f"{family}: no module named {family}; pip install {package}"
            self.assertEqual(json.loads(done.stdout), {"type": "error", "id": None, "message": message})
            self.assertEqual(done.returncode, 1)

    def test_a_device_that_is_not_there_is_one_clear_line(self):
        done = subprocess.run([sys.executable, "-m", "gemmtune_worker", "numpy", "--device", "cpu:7"], input="",
                              text=True, capture_output=True, check=False)
        self.assertEqual(json.loads(done.stdout)["message"], "no cpu:7 here: a machine has one cpu")

    def test_problems_with_what_it_does_not_know_are_declined(self):
        worker = self.worker("numpy")
        for problem, reason in ((PROBLEM + ":groups=3", "the option 'groups=3' is not known here"),
                                ("4x4x4:e5m2:e5m2:bf16", "'e5m2' is not known here"),
                                ("4x4x4:e4m3/fp8_row:bf16:bf16", "'e4m3/fp8_row': a call quantises bf16, f16, f32"),
                                ("4x4x4:bf16:bf16/fp8_row:bf16",
                                 "'bf16/fp8_row' is for A: a call does not quantise weights"),
                                ("4x4x4:bf16/fp8_row:bf16:bf16", "numpy multiplies f32 only"),
                                ("4x4x4:bf16:bf16:bf16", "numpy multiplies f32 only")):
            support = worker.ask("supports", problem=problem)[0]["families"][0]
            self.assertEqual((support["why_not"], support["candidate_count"]), (reason, 0))
            self.assertEqual(worker.ask("candidates", problem=problem)[0]["candidates"], [])

    def test_faults_become_outcomes_at_every_stage(self):
        worker = self.worker(BROKEN)
        wrong = ("zeroed_row", "wrong_scale", "missing_column", "after_the_end", "before_the_start", "changes_input",
                 "nothing")
        names = ["broken_right", "broken_raises", "broken_prints", "broken_unheard_of"] + [f"broken_{n}" for n in wrong]
        for stage in ("screen", "confirm", "prove"):
            found = worker.evaluate(names, stage)
            self.assertEqual(set(found), set(names))
            outcomes = {name: one["outcome"] for name, one in found.items()}
            self.assertEqual(outcomes["broken_right"], "ok", found["broken_right"])
            self.assertEqual(outcomes["broken_prints"], "ok")
            self.assertEqual(outcomes["broken_unheard_of"], "unsupported")
            self.assertEqual(outcomes["broken_raises"], "launch_failed")
            self.assertTrue(found["broken_raises"]["reason"].endswith("ValueError: the last line"))
            for name in wrong:
                self.assertEqual(outcomes[f"broken_{name}"], "wrong_result", f"{stage} {name}")

    def test_a_failure_to_prepare_carries_its_last_line(self):
        found = self.worker(BROKEN).evaluate(["broken_raises_early"], "screen")["broken_raises_early"]
        self.assertEqual((found["outcome"], found["reason"]), ("compile_failed", "TypeError: kernel"))

    def test_torchs_advice_is_no_reason(self):
        error = RuntimeError("CUDA error: an illegal memory access was encountered\n"
                             "CUDA kernel errors might be asynchronously reported at some other API call.\n"
                             "For debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
                             "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n")
        self.assertEqual(last_line(error), "RuntimeError: CUDA error: an illegal memory access was encountered")

    def test_the_inaccurate_are_timed_with_the_finalists(self):
        found = self.worker(BROKEN).evaluate(["broken_right", "broken_wrong_scale"], "confirm")
        self.assertEqual(found["broken_wrong_scale"]["outcome"], "wrong_result")
        self.assertGreaterEqual(found["broken_wrong_scale"]["timing"]["sample_count"], 4)
        self.assertGreaterEqual(len(found["broken_right"]["timing"]["turns"]), 2)

    def test_kernels_that_remember_do_not_pass(self):
        worker = self.worker(BROKEN)
        for stage in ("screen", "confirm", "prove"):
            found = worker.evaluate(["broken_remembers"], stage)["broken_remembers"]
            self.assertEqual(found["outcome"], "wrong_result", stage)
            self.assertNotIn("timing", found)
        found = worker.evaluate(["broken_only_first_set"], "confirm", cold_cache=True)
        self.assertEqual(found["broken_only_first_set"]["outcome"], "wrong_result")

    def test_a_kernel_that_ends_the_process_ends_the_answer(self):
        worker = self.worker(BROKEN)
        replies = worker.ask("evaluate", problem=PROBLEM, policy=policy("screen"),
                             candidates=[{"family": "broken", "name": "broken_dies"}])
        self.assertEqual([reply and reply["type"] for reply in replies], ["started", None])
        self.assertEqual(worker.process.wait(), 3)

    def test_nothing_stray_reaches_stdout(self):
        worker = self.worker(BROKEN)
        worker.evaluate(["broken_prints"], "screen")
        out, err = worker.process.communicate('{"type":"bye"}\n')
        self.assertEqual((out, worker.process.returncode), ("", 0))
        self.assertIn("a line from a library", err)
        self.assertIn("a line from Python", err)

    def test_bad_requests_are_answered(self):
        worker = self.worker("numpy")
        for line, known in (("no JSON", None), ("[1]", None), ('{"type":"sing","id":4}', 4),
                            ('{"type":"evaluate","id":5}', 5), ('{"type":"sample","id":6}', 6)):
            reply = worker.ask_line(line)[0]
            self.assertEqual((reply["type"], reply["id"]), ("error", known), line)
        self.assertEqual(worker.ask("supports", problem=PROBLEM)[0]["type"], "supports")

    def test_held_candidates_are_sampled_in_turn_and_settled(self):
        worker = self.worker(BROKEN)
        names = ("broken_right", "broken_nothing", "broken_wrong_scale", "broken_raises")
        candidates = [{"family": "broken", "name": name} for name in names]
        replies = worker.ask("hold", problem=PROBLEM, candidates=candidates, policy=policy("confirm"), memory_share=0.5)
        held = {reply["candidate"]["name"]: reply for reply in replies if reply["type"] == "held"}
        self.assertEqual(set(held), {"broken_right", "broken_wrong_scale"})
        self.assertIn("rounding explains", held["broken_wrong_scale"]["flaw"])
        self.assertNotIn("flaw", held["broken_right"])
        for candidate in (candidates[0], candidates[2], candidates[0]):
            reply = worker.ask("sample", candidate=candidate, warmup=1, count=5, judge=True)[-1]
            self.assertEqual((reply["type"], len(reply["samples_us"])), ("samples", 5))
        self.assert_not_held(worker, candidates[1])
        settled = [reply["evaluation"] for reply in worker.ask("settle", candidates=[candidates[0], candidates[2]])
                   if reply["type"] == "evaluation"]
        self.assertEqual([one["outcome"] for one in settled], ["ok", "wrong_result"])
        self.assertTrue(all("timing" not in one for one in settled))
        self.assertEqual(worker.ask("release")[0]["type"], "done")
        self.assert_not_held(worker, candidates[0])

    def assert_not_held(self, worker, candidate):
        reply = worker.ask("sample", candidate=candidate, warmup=0, count=1, judge=False)[0]
        self.assertEqual(reply["type"], "error")

    def test_a_held_candidate_that_remembers_fails_its_turn(self):
        worker = self.worker(BROKEN)
        candidate = {"family": "broken", "name": "broken_remembers"}
        worker.ask("hold", problem=PROBLEM, candidates=[candidate], policy=policy("confirm"), memory_share=0.5)
        self.assertEqual(self.failure_in_turn(worker, candidate)["outcome"], "wrong_result")

    def failure_in_turn(self, worker, candidate):
        request = {"type": "sample", "id": 77, "candidate": candidate, "warmup": 1, "count": 4, "judge": True}
        worker.process.stdin.write(json.dumps(request) + "\n")
        worker.process.stdin.flush()
        reply = worker.read()
        self.assertEqual((reply["type"], reply["id"]), ("evaluation", 77))
        return reply["evaluation"]

    def test_launches_after_a_turn_are_made_and_what_fails_then_is_found_in_the_next_turn(self):
        worker = self.worker(BROKEN)
        candidate = {"family": "broken", "name": "broken_tires"}
        worker.ask("hold", problem=PROBLEM, candidates=[candidate], policy=policy("confirm"), memory_share=0.5)
        for after in (3, 2000):
            reply = worker.ask("sample", candidate=candidate, warmup=1, count=5, judge=True, after=after)[-1]
            self.assertEqual((reply["type"], len(reply["samples_us"])), ("samples", 5))
        failure = self.failure_in_turn(worker, candidate)
        self.assertEqual(failure["outcome"], "launch_failed")
        self.assertIn("it is tired", failure["reason"])

    def test_products_are_what_the_kernel_wrote(self):
        worker = self.worker(BROKEN)
        problem = parse_problem(PROBLEM)
        for name, seed, recipe in (("broken_right", 9, "wide_rows"), ("broken_zeroed_row", 2 ** 64 - 1, "gaussian")):
            reply = worker.ask("multiply", problem=PROBLEM, candidate={"family": "broken", "name": name}, seed=seed,
                               recipe=recipe, rows=[0, 5, 32])[0]
            self.assertEqual((reply["type"], reply["outcome"]), ("product", "ok"))
            plain = Plain(NumpyArrays(), problem, recipe, seed)
            expected = plain.a[0].astype("f8") @ plain.w[0].astype("f8").T
            for row, text in zip((0, 5, 32), reply["rows"]):
                found = numpy.frombuffer(base64.b64decode(text), dtype="<f4")
                is_zeroed = name == "broken_zeroed_row" and row == 32
                far = abs(found - (0 if is_zeroed else expected[row]))
                a, w = plain.a[0][row].astype("f8"), plain.w[0].astype("f8")
                norms = numpy.linalg.norm(a) * numpy.linalg.norm(w, axis=1)
                self.assertTrue((far <= 1e-6 * norms).all(), f"row {row} of {name}")

    def test_products_that_fail_say_why(self):
        worker = self.worker(BROKEN)
        for name, outcome in (("broken_raises", "launch_failed"), ("broken_raises_early", "compile_failed"),
                              ("broken_unheard_of", "unsupported")):
            reply = worker.ask("multiply", problem=PROBLEM, candidate={"family": "broken", "name": name}, seed=1,
                               recipe="gaussian", rows=[0])[0]
            self.assertEqual(reply["outcome"], outcome)
            self.assertTrue(reply["reason"])

    def test_what_is_expected_is_answered_at_once(self):
        worker = self.worker("numpy")
        self.assertIs(worker.hello["compiles_ahead"], True)
        for candidates in ([], [{"family": "numpy", "name": "numpy_matmul"}, {"family": "none", "name": "none_1"}]):
            self.assertEqual([reply["type"] for reply in worker.ask("expect", problem=PROBLEM, candidates=candidates)],
                             ["done"])

    def test_numbers_that_json_lacks_become_null(self):
        found = without_infinities({"a": [1.0, float("inf")], "b": (float("nan"),)})
        self.assertEqual(found, {"a": [1.0, None], "b": [None]})


class CompileAheadTest(unittest.TestCase):
    def test_failures_and_crashes_of_compilers_are_reasons(self):
        import compile_jobs
        ahead = CompileAhead()
        self.addCleanup(ahead.close)
        jobs = [ahead.start((compile_jobs.compile_kernel, [what])) for what in ("well", "badly", "crash", "well")]
        self.assertEqual([job.wait() for job in jobs],
                         ["", "ValueError: line 2 is wrong", "the compiler died of signal 6", ""])
        self.assertIs(jobs[0], jobs[3])

    def test_what_is_waited_for_comes_before_what_is_expected(self):
        import compile_jobs
        ahead = CompileAhead()
        self.addCleanup(ahead.close)
        job = lambda what: (compile_jobs.compile_kernel, [what])
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, {"GEMMTUNE_COMPILERS": "1"}):
            path = pathlib.Path(folder) / "log"
            log = lambda what: f"log {path} {what}"
            ahead.expect([job(log("stale"))] + [job(log(f"first {i}")) for i in range(20)])
            ahead.expect([job(log("expected"))])
            ahead.start(job(log("wanted"))).wait()
            self.assertEqual(ahead.start(job(log("expected"))).wait(), "")
            lines = path.read_text(encoding="utf-8").split("\n")
            self.assertLess(lines.index("wanted"), lines.index("expected"))
            self.assertNotIn("first 19", lines, "it was expected no longer")
            self.assertEqual(ahead.start(job(log("first 19"))).wait(), "", "but it can still be wanted")

    def test_thousands_that_nobody_waits_for_block_nothing(self):
        import compile_jobs
        ahead = CompileAhead()
        self.addCleanup(ahead.close)
        ahead.expect([(compile_jobs.compile_kernel, ["well" + " " * i]) for i in range(300)])
        self.assertEqual(ahead.start((compile_jobs.compile_kernel, ["well"])).wait(), "")

    def test_processes_follow_the_cores(self):
        cores = len(os.sched_getaffinity(0))
        with tempfile.TemporaryDirectory() as folder:
            limit = pathlib.Path(folder) / "cpu.max"
            self.assertEqual(usable_cores(folder), cores)
            for text, expected in (("max 100000", cores), ("50000 100000", 1), ("150000 100000", min(2, cores))):
                limit.write_text(text, encoding="ascii")
                self.assertEqual(usable_cores(folder), expected, text)
        self.assertEqual(compile_processes({"GEMMTUNE_COMPILERS": "3"}), 3)
        self.assertEqual(compile_processes({"GEMMTUNE_COMPILERS": "many"}), max(usable_cores() - 1, 1))

    def test_nothing_is_left_when_the_worker_ends(self):
        import compile_jobs
        ahead = CompileAhead()
        ahead.start((compile_jobs.compile_kernel, ["forever"]))
        server = next(iter(ahead.servers.values())).process
        server.stdin.close()
        self.assertEqual(server.wait(timeout=20), 0)
        server.stdout.close()


if __name__ == "__main__":
    unittest.main()
