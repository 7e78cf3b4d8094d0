#!/usr/bin/env python3
"""Whether times taken in turns across processes agree with those of one process.

    python3 bench/apart.py build/release/bin/gemmtune --device cuda:0 --problem 4096x4096x4096:bf16:bf16:bf16 \
        --family cublaslt [--candidates NAME…] [--repeats 5]

Evaluates the same candidates in one process and with each in a process of its own (`gemmtune evaluate --apart`),
alternately, and prints for each candidate the median of its medians and their ratio. Without names, it takes the
family's default and its next candidate. Candidates may be those of other workers too: then both ways have them in a
process of their own, and the line shows how they compare with the first.
"""
import argparse
import json
import re
import statistics
import subprocess


def first_candidates(given):
    """Two of the family, asked of gemmtune's own worker."""
    requests = [{"type": "candidates", "id": 1, "problem": given.problem}, {"type": "bye"}]
    command = [given.program, "worker", "--device", given.device, "--families", given.family]
    answer = subprocess.run(command, input="".join(json.dumps(one) + "\n" for one in requests), text=True,
                            capture_output=True, check=True).stdout.splitlines()[1]
    listed = json.loads(answer)["candidates"]
    listed.sort(key=lambda one: not one.get("is_default", False))
    return [one["name"] for one in listed[:2]]


def medians(given, names, more):
    command = [given.program, "evaluate", "--device", given.device, "--problem", given.problem, *more]
    text = subprocess.run([*command, "--candidate", *names], text=True, capture_output=True, check=False).stdout
    found = dict(re.findall(r"^(\S+) of \S+\n\S+ +ok\b.*\ntime +([\d.]+) us", text, re.M))
    if set(found) != set(names):
        raise SystemExit(f"not all candidates are right:\n{text}")
    return {name: float(us) for name, us in found.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--problem", default="4096x4096x4096:bf16:bf16:bf16")
    parser.add_argument("--family", default="cublaslt")
    parser.add_argument("--candidates", nargs="*")
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    names = given.candidates or first_candidates(given)
    ways = {"together": [], "apart": []}
    for _ in range(given.repeats):
        ways["together"].append(medians(given, names, []))
        ways["apart"].append(medians(given, names, ["--apart"]))
    print(f"{given.problem} on {given.device}, {given.repeats} times each way")
    print(f"{'one process, us':>16} {'apart, us':>12} {'apart / one':>12} {'of the first':>13}  candidate")
    together, apart = ({name: statistics.median(run[name] for run in runs) for name in names} for runs in ways.values())
    for name in names:
        print(f"{together[name]:16.3f} {apart[name]:12.3f} {apart[name] / together[name]:12.4f} "
              f"{apart[name] / apart[names[0]]:13.4f}  {name}")


if __name__ == "__main__":
    main()
