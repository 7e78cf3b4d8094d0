"""The example worker with times that depend on shape and candidate alone, so that every machine gives the same table.

    steady_worker.py EXAMPLE_WORKER SECONDS

SECONDS pass for each shape. The variable FLEET_TEST_LOG names a file that gets a line for each shape: when it began and
ended, and which it was. The variable FLEET_TEST_FAULT plants a fault:

    crash              every candidate crashes
    crash_while:PATH   as long as there is such a file
    crash_at:NAME      one candidate crashes
    slow               times are twice as long
    hold_others:PATH   all shapes but the first one in the log take a minute unless there is such a file. With ":NAME"
                       after it, this candidate crashes
"""
import importlib.util
import os
import signal
import sys
import time
import zlib

sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("example_worker", sys.argv[1])
example = importlib.util.module_from_spec(spec)
spec.loader.exec_module(example)
example.FAMILY = "steady"
SECONDS = float(sys.argv[2])
FAULT = os.environ.get("FLEET_TEST_FAULT", "")
LOG = os.environ.get("FLEET_TEST_LOG", "")


class SteadyAttempt(example.Attempt):
    def time_us(self, launch):
        self.load.launch(self.kernel, launch)
        key = f"{self.load.problem.text} {self.candidate['name']}"
        time_us = 100 + zlib.crc32(key.encode()) % 1000 / 10
        return 2 * time_us if FAULT == "slow" else time_us


def crashes(candidate):
    kind, _, what = FAULT.partition(":")
    if kind == "hold_others":
        return candidate["name"] == what.partition(":")[2]
    return kind == "crash" or (kind == "crash_while" and os.path.exists(what)) or \
        (kind == "crash_at" and candidate["name"] == what)


def note(line):
    if LOG:
        with open(LOG, "a", encoding="utf-8") as log:
            log.write(line + "\n")


def is_held(problem):
    if not FAULT.startswith("hold_others:"):
        return False
    with open(LOG, encoding="utf-8") as log:
        return log.readline().split(maxsplit=2)[2].strip() != problem


class SteadyWorker(example.Worker):
    def answer(self, request):
        if request["type"] == "candidates":
            self.spend(request["problem"])
        if request["type"] in ("evaluate", "hold"):
            for candidate in filter(crashes, request["candidates"]):
                self.send(type="started", id=request["id"],
                          candidate={"family": candidate["family"], "name": candidate["name"]})
                os.kill(os.getpid(), signal.SIGSEGV)
        super().answer(request)

    def spend(self, problem):
        """As a device would: time passes, and no core is used."""
        begin = time.time()
        note(f"begin {begin:.3f} {problem}")
        deadline = begin + (60 if is_held(problem) else 0)
        while time.time() < deadline and not os.path.exists(FAULT.split(":")[1]):
            time.sleep(0.1)
        time.sleep(SECONDS)
        note(f"end {begin:.3f} {time.time():.3f} {problem}")


example.Attempt = SteadyAttempt
example.last_level_cache_bytes = lambda: 4096  # few copies of the operands
SteadyWorker().serve()
