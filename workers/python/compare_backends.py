#!/usr/bin/env python3
"""Runs the backends of this package on some shapes of a GPU, through the protocol, and prints a table and all failures.

    PYTHONPATH=workers/python python3 workers/python/compare_backends.py [--device cuda:0] [--families torch triton …]
                                                                         [--candidates 48] [--problems …]

It is a check of the package on a new machine, which needs nothing else of gemmtune, and takes a few minutes. It draws
candidates evenly from those that a family lists, so its numbers show what runs and not how fast a tuned kernel is: that
is `gemmtune tune`.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import time

PACKAGE = pathlib.Path(__file__).resolve().parent
PROBLEMS = ("64x7168x2048:bf16:bf16:bf16", "4096x4096x7168:bf16:bf16:bf16", "4096x4096x7168:e4m3/row:e4m3/row:bf16",
            "64x4096x7168:e4m3/1x128:e4m3/128x128:bf16", "64x7168x2048:int8/row:int8/row:bf16",
            "16x8192x8192:e2m1/1x32:e2m1/1x32:bf16", "4096x4096x7168:e2m1/1x32:e2m1/1x32:bf16",
            "32x512x1024:bf16:bf16:bf16:batch=16", "16x4096x4096:bf16:e2m1/1x32:bf16:packed",
            "4096x4096x4096:bf16:e2m1/1x32:bf16:packed", "256x4096x4096:e4m3/row:e2m1/1x32:bf16:packed",
            "256x4096x4096:bf16/fp8_row:e2m1/1x32:bf16:packed", "64x2112x7168:e4m3/1x128:e2m1/1x32:bf16:packed")
OPERANDS = ("bf16:bf16:f16:bias", "f32:tf32:f32", "f16:f16:f16:residual", "e4m3/tensor:e4m3/row:bf16",
            "e4m3fnuz:e4m3fnuz:bf16", "int8/row:int8/tensor:bf16", "e4m3/1x128:e4m3/128x128:bf16",
            "e2m1/1x32:e2m1/1x32:bf16", "bf16/fp8_row:e2m1/1x32:bf16")
FAMILIES = ("torch", "triton", "gluon", "deepgemm", "humming", "quack")
VERIFY = {"err_ratio_limit": 0.05, "atol": 1e-2, "rtol": 1e-2, "full_reference_flops": 4_000_000_000}
SCREEN = {"warmup": 1, "min_samples": 4, "max_samples": 10, "max_sampling_s": 0.2, "target_dispersion": 0.02}
CONFIRM = {"warmup": 5, "min_samples": 8, "max_samples": 40, "max_sampling_s": 0.5, "target_dispersion": 0.005}


class Worker:
    """One family's process, and the answers to what is asked."""

    def __init__(self, family, device):
        path = os.pathsep.join([str(PACKAGE)] + [p for p in [os.environ.get("PYTHONPATH")] if p])
        command = [sys.executable, "-m", "gemmtune_worker", family, "--device", device]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "PYTHONPATH": path})
        self.count = 0

    def hello(self):
        return self._read()

    def ask(self, kind, **fields):
        """All replies up to the last one."""
        self.count += 1
        self.process.stdin.write(json.dumps({"type": kind, "id": self.count, **fields}) + "\n")
        self.process.stdin.flush()
        replies = []
        while not replies or replies[-1]["type"] in ("started", "evaluation", "held"):
            replies.append(self._read())
            if kind == "sample" and replies[-1]["type"] == "evaluation":
                break
        return replies

    def _read(self):
        line = self.process.stdout.readline()
        if not line:
            raise EOFError("the worker ended")
        return json.loads(line)

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()


def policy(stage, measure):
    return {"stage": stage, "seed": 7, "measure": {**measure, "keep_samples": True, "cold_cache": True},
            "verify": VERIFY}


def evaluate(worker, problem, candidates, stage_policy):
    replies = worker.ask("evaluate", problem=problem, candidates=candidates, policy=stage_policy)
    if replies[-1]["type"] == "error":
        print(f"  error: {replies[-1]['message']}")
    return [reply["evaluation"] for reply in replies if reply["type"] == "evaluation"]


def evenly(candidates, most):
    """The first, and others at equal distances."""
    step = max(len(candidates) / most, 1)
    return [candidates[int(i * step)] for i in range(min(most, len(candidates)))]


def examine(worker, problem, most):
    """The best candidate's evaluations at all stages, after what was said of the others."""
    support = worker.ask("supports", problem=problem)[0]["families"][0]
    if support["why_not"]:
        return f"declines: {support['why_not']}", None
    listed = worker.ask("candidates", problem=problem)[0]["candidates"]
    some, start = evenly(listed, most), time.monotonic()
    screened = evaluate(worker, problem, some, policy("screen", SCREEN))
    took, start = time.monotonic() - start, time.monotonic()
    evaluate(worker, problem, some, policy("screen", SCREEN))
    again = time.monotonic() - start  # nothing is compiled any more: what is left is what the worker costs
    outcomes = collections.Counter(one["outcome"] for one in screened)
    costs = {name: round(sum(one["cost"][name] for one in screened), 2) for name in screened[0]["cost"]}
    said = (f"{len(listed)} candidates, {len(some)} screened in {took:.1f} s ({len(some) / took:.1f} a second, then "
            f"{len(some) / again:.1f}): "
            f"{dict(outcomes)}; seconds: {costs}")
    print_failures(screened)
    right = sorted((one for one in screened if one["outcome"] == "ok"), key=lambda one: one["timing"]["median_us"])
    finalists = [one["candidate"] for one in right[:4]]
    confirmed = evaluate(worker, problem, finalists, policy("confirm", CONFIRM)) if finalists else []
    print_failures(confirmed)
    confirmed = sorted((one for one in confirmed if one["outcome"] == "ok"), key=lambda one: one["timing"]["median_us"])
    return said, confirmed[0] if confirmed else None


def print_failures(evaluations):
    """One line for each outcome and reason, with an example."""
    kinds = {}
    for one in evaluations:
        if one["outcome"] != "ok":
            kinds.setdefault((one["outcome"], one["reason"][:60]), []).append(one)
    for (outcome, _), ones in kinds.items():
        print(f"  {len(ones)} x {outcome}: {ones[0]['candidate']['name']}: {ones[0]['reason'][:300]}")


def report(problem, workers, most):
    print(f"\n{problem}", flush=True)
    rows = []
    for family, worker in list(workers.items()):
        try:
            said, best = examine(worker, problem, most)
            print(f"  {family}: {said}", flush=True)
            if best:
                proved = evaluate(worker, problem, [best["candidate"]], policy("prove", CONFIRM))[0]
                rows.append((family, best, proved))
        except (EOFError, BrokenPipeError) as error:
            print(f"  {family}: {error}; not asked any more")
            del workers[family]
    m, n, k = map(int, problem.split(":")[0].split("x"))
    batch = int(re.search(r"batch=(\d+)", problem)[1]) if "batch=" in problem else 1
    for family, best, proved in sorted(rows, key=lambda row: row[1]["timing"]["median_us"]):
        us, timing = best["timing"]["median_us"], best["timing"]
        print(f"  {family:9} {us:9.2f} us ({timing['low_us']:.2f} to {timing['high_us']:.2f}) "
              f"{2 * m * n * k * batch / us / 1e6:7.1f} TFLOPS  proof: {proved['outcome']} {proved['reason'][:160]}  "
              f"{best['candidate']['name']}", flush=True)


def check_turns(workers):
    """Samples that are taken in turns, between two processes, against those of one evaluation."""
    if not {"torch", "triton"} <= set(workers):
        return
    problem, found = PROBLEMS[1], {}
    for family in ("torch", "triton"):
        candidate = workers[family].ask("candidates", problem=problem)[0]["candidates"][0]
        alone = evaluate(workers[family], problem, [candidate], policy("confirm", CONFIRM))
        found[family] = (candidate, alone[0].get("timing", {}).get("median_us", 0.0), [])
        workers[family].ask("hold", problem=problem, candidates=[candidate], policy=policy("confirm", CONFIRM),
                            memory_share=0.3)
    for _ in range(6):
        for family, (candidate, _, samples) in found.items():
            reply = workers[family].ask("sample", candidate=candidate, warmup=2, count=8, judge=True)[-1]
            samples += reply.get("samples_us", [])
    for family, (candidate, alone, samples) in found.items():
        middle = sorted(samples)[len(samples) // 2] if samples else 0.0
        print(f"turns: {candidate['name']} alone {alone:.2f} us, in turns with another process {middle:.2f} us")
        workers[family].ask("release")


def check_operands(device):
    """What is drawn and quantised on the device, bit for bit against numpy."""
    sys.path.insert(0, str(PACKAGE))
    import torch
    from gemmtune_worker.arrays import NumpyArrays
    from gemmtune_worker.operands import Plain
    from gemmtune_worker.problem import parse_problem
    from gemmtune_worker.recipes import RECIPES
    from gemmtune_worker.torch_arrays import TorchArrays
    differ, compared, on_device, on_host = [], 0, TorchArrays(device), NumpyArrays()
    for types in OPERANDS:
        problem = parse_problem(f"130x200x280:{types}")
        for recipe in RECIPES:
            for seed in (0, 1, 2 ** 64 - 1):
                here = Plain(on_host, problem, recipe, seed).stored()
                there = Plain(on_device, problem, recipe, seed).stored()
                compared += len(here)
                differ += [f"{types} {recipe} {seed} {name}" for name, x in here.items()
                           if x.tobytes() != there[name].cpu().numpy().tobytes()]
    print(f"operands: {compared} tensors compared with numpy's on {torch.cuda.get_device_name(0)}: "
          f"{len(differ)} differ {differ[:4]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--families", nargs="+", default=FAMILIES)
    parser.add_argument("--problems", nargs="+", default=PROBLEMS)
    parser.add_argument("--candidates", type=int, default=48, help="how many of each family are screened")
    given, start = parser.parse_args(), time.monotonic()
    if given.device != "cpu":
        check_operands(given.device)
    workers = {family: Worker(family, given.device) for family in given.families}
    for family, worker in list(workers.items()):
        hello = worker.hello()
        print(f"{family}: {hello.get('message') or json.dumps(hello['device'])}", flush=True)
        if hello["type"] == "error":
            del workers[family]
    for problem in given.problems:
        report(problem, workers, given.candidates)
    if given.device != "cpu":
        check_turns(workers)
    for worker in workers.values():
        worker.end()
    print(f"\n{time.monotonic() - start:.0f} s in all")


if __name__ == "__main__":
    main()
