#!/usr/bin/env python3
"""device/gpu is one source for both vendors: compiles it against HIP's headers. Usage: hip_test.py COMPILER."""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
OPTIONS = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{ROOT}", "-DGEMMTUNE_GPU", "-DGEMMTUNE_HIP", "-D__HIP_PLATFORM_AMD__"]


def compile_for_hip(compiler, source):
    result = subprocess.run([compiler, *OPTIONS, source], text=True, capture_output=True)
    return "" if result.returncode == 0 else result.stderr


def has_hip(compiler):
    source = "#include <hip/hiprtc.h>\n"
    command = [compiler, *OPTIONS, "-x", "c++", "-"]
    return subprocess.run(command, input=source, text=True, capture_output=True).returncode == 0


def main():
    compiler = sys.argv[1]
    if not has_hip(compiler):
        print("skipped: HIP's headers (package libamdhip64-dev) are not installed")
        return SKIPPED
    sources = sorted(str(path) for path in (ROOT / "gemmtune/device/gpu").glob("*.cpp"))
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        problems = [p for p in pool.map(lambda s: compile_for_hip(compiler, s), sources) if p]
    print("\n".join(problems) or f"{len(sources)} sources compile for HIP")
    return 1 if problems or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
