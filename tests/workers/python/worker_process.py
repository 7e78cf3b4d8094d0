"""A worker in a process of its own, for tests that talk to it."""

import json
import subprocess
import sys

PROBLEM = "33x40x64:f32:f32:f32"
MEASURE = {"warmup": 1, "min_samples": 4, "max_samples": 8, "max_sampling_s": 0.2, "target_dispersion": 0.02,
           "keep_samples": True, "cold_cache": False}
VERIFY = {"err_ratio_limit": 0.05, "atol": 1e-2, "rtol": 1e-2, "full_reference_flops": 4_000_000_000}


def policy(stage, **measure):
    return {"stage": stage, "seed": 5, "measure": {**MEASURE, **measure}, "verify": VERIFY}


class Worker:
    def __init__(self, *arguments, device="cpu"):
        command = [sys.executable, "-m", "gemmtune_worker", *arguments, "--device", device]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
        self.hello, self.count = self.read(), 0

    def read(self):
        line = self.process.stdout.readline()
        return json.loads(line, parse_constant=lambda word: self.fail_on(word)) if line else None

    def fail_on(self, word):
        raise AssertionError(f"the worker wrote {word}")

    def ask(self, kind, **fields):
        self.count += 1
        return self.ask_line(json.dumps({"type": kind, "id": self.count, **fields}))

    def ask_line(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        replies = [self.read()]
        while replies[-1] and replies[-1]["type"] in ("started", "held", "evaluation"):
            replies.append(self.read())
        return replies

    def evaluate(self, names, stage, family="broken", problem=PROBLEM, **measure):
        candidates = [{"family": family, "name": name} for name in names]
        replies = self.ask("evaluate", problem=problem, candidates=candidates, policy=policy(stage, **measure))
        return {reply["evaluation"]["candidate"]["name"]: reply["evaluation"]
                for reply in replies if reply and reply["type"] == "evaluation"}

    def end(self):
        if self.process.poll() is None:
            self.process.communicate("")
        self.process.stdout.close()
        self.process.stderr.close()
