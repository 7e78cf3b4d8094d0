#!/usr/bin/env python3
"""Products with weights in blocks: gemmtune's kernels and the operators of ggml, llama.cpp's library, in turns.

    python3 bench/beside_ggml.py build/release/bin/gemmtune GGML/build/bin/test-backend-ops TUNED.csv \
        [--turns 5] [--before 'chrt -f 50'] [--only MXFP4]
    python3 bench/beside_ggml.py --list > shapes.csv        what TUNED.csv is to have rows for

test-backend-ops is built from ggml's own source (-DCMAKE_BUILD_TYPE=Release -DGGML_NATIVE=ON -DGGML_BUILD_TESTS=ON).
Its operators take f32 activations, which they quantise to 8 bits, and give f32. The products here do the same (q8), or
multiply the activations as they are (f32). Shows the medians over the turns, and the ratio of the medians. Operands
rotate past the cache on gemmtune's side, and do not on ggml's.
"""
import argparse
import csv
import re
import shlex
import statistics
import subprocess

WEIGHTS = {"mxfp4": "e2m1/1x32", "q4_0": "int4/1x32f16", "q8_0": "int8/1x32f16"}
EXPERTS, PER_TOKEN, WIDTH = 32, 4, 2880


def cases():
    """Name, ggml's operator, its parameters, and gemmtune's problem."""
    for kind, weights in WEIGHTS.items():
        for activations in ("f32/q8",) if kind == "q8_0" else ("f32/q8", "f32"):
            for m in (1, 8, 512):
                yield (f"{kind} x {activations}, {m} x 4096 x 14336", "MUL_MAT",
                       f"type_a={kind},type_b=f32,m=4096,n={m},k=14336",
                       f"{m}x4096x14336:{activations}:{weights}:f32:packed")
    for activations in ("f32/q8", "f32"):
        for tokens in (1, 8, 512):
            # ggml draws the experts of each token: so many of them are expected to get one.
            experts = round(EXPERTS * (1 - (1 - PER_TOKEN / EXPERTS) ** tokens))
            rows = -(-tokens * PER_TOKEN // experts)
            yield (f"mxfp4 x {activations}, {EXPERTS} experts, top {PER_TOKEN}, {WIDTH}: {tokens} tokens", "MUL_MAT_ID",
                   f"type_a=mxfp4,type_b=f32,n_mats={EXPERTS},n_used={PER_TOKEN},b=0,m={WIDTH},n={tokens},k={WIDTH}",
                   f"{rows}x{WIDTH}x{WIDTH}:{activations}:e2m1/1x32:f32:batch={experts}:packed")


def output_of(command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def time_of_ggml(given, operator, parameters):
    command = [*given.before, given.ggml, "perf", "-b", "CPU", "-o", operator, "-p", re.escape(parameters)]
    found = re.search(r"([\d.]+) us/run", output_of(command))
    if not found:
        raise SystemExit(f"ggml does not time {operator}({parameters})")
    return float(found.group(1))


def time_of_gemmtune(given, problem, kernel):
    text = output_of([*given.before, given.gemmtune, "evaluate", "--device", "cpu", "--problem", problem, "--candidate", kernel])
    found = re.search(r"^time +([\d.]+) us", text, re.M)
    if not found:
        raise SystemExit(f"{problem}, {kernel}:\n{text}")
    return float(found.group(1))


def kernels(table):
    with open(table, newline="") as file:
        return {row["problem"]: row["kernelName"] for row in csv.DictReader(file)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gemmtune", nargs="?")
    parser.add_argument("ggml", nargs="?")
    parser.add_argument("table", nargs="?")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--before", type=shlex.split, default=[])
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    given = parser.parse_args()
    chosen = [case for case in cases() if given.only.lower() in case[0]]
    if given.list:
        print("problem", *(problem for _, _, _, problem in chosen), sep="\n")
        return
    tuned = kernels(given.table)
    for name, operator, parameters, problem in chosen:
        if problem not in tuned:
            print(f"{name}: {given.table} has no row")
            continue
        turns = [(time_of_ggml(given, operator, parameters), time_of_gemmtune(given, problem, tuned[problem]))
                 for _ in range(given.turns)]
        ggml, ours = (statistics.median(side) for side in zip(*turns))
        print(f"{name:52} ggml {ggml:10.1f} us  gemmtune {ours:9.1f} us  {ggml / ours:6.2f}x  {tuned[problem]}", flush=True)


if __name__ == "__main__":
    main()
