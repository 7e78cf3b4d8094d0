"""The example worker with times that depend on shape and candidate alone, so that every machine gives the same table.

    steady_worker.py EXAMPLE_WORKER SECONDS

SECONDS pass for each shape. The variable FLEET_TEST_FAULT plants a fault: "crash" (every candidate), "crash_while:PATH"
(as long as there is such a file), "crash_at:NAME" (one candidate), or "slow" (times twice as long).
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


class SteadyAttempt(example.Attempt):
    def time_us(self, launch):
        self.load.launch(self.kernel, launch)
        key = f"{self.load.problem.text} {self.candidate['name']}"
        time_us = 100 + zlib.crc32(key.encode()) % 1000 / 10
        return 2 * time_us if FAULT == "slow" else time_us


def crashes(candidate):
    kind, _, what = FAULT.partition(":")
    return kind == "crash" or (kind == "crash_while" and os.path.exists(what)) or \
        (kind == "crash_at" and candidate["name"] == what)


class SteadyWorker(example.Worker):
    def answer(self, request):
        if request["type"] == "candidates":
            time.sleep(SECONDS)
        if request["type"] in ("evaluate", "hold"):
            for candidate in filter(crashes, request["candidates"]):
                self.send(type="started", id=request["id"],
                          candidate={"family": candidate["family"], "name": candidate["name"]})
                os.kill(os.getpid(), signal.SIGSEGV)
        super().answer(request)


example.Attempt = SteadyAttempt
example.last_level_cache_bytes = lambda: 4096  # few copies of the operands
SteadyWorker().serve()
