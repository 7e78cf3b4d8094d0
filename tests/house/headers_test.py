#!/usr/bin/env python3
"""Every header compiles alone: usage headers_test.py COMPILER [OPTIONS WITH WHICH A VENDOR'S HEADERS ARE FOUND].

Headers of a family whose vendor's header is missing are left out, as in the build. No other header needs one.
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def compile_alone(compiler, header, options):
    source = f'#include "{header}"\n#include "{header}"\n'
    command = [compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-fsyntax-only", f"-I{ROOT}", *options, "-x", "c++", "-"]
    result = subprocess.run(command, input=source, text=True, capture_output=True)
    return "" if result.returncode == 0 else f"{header}:\n{result.stderr}"


def is_first_in_its_source(header):
    """If so, compiling the source has already shown that the header compiles alone."""
    source = (ROOT / header).with_suffix(".cpp")
    if not source.exists():
        return False
    first = next((line for line in source.read_text().splitlines() if line.startswith("#include")), "")
    return first == f'#include "{header}"'


def left_out_folders(compiler, options):
    """The folders of families whose vendor's header is missing. Their vendor_api.h alone includes that header."""
    folders = []
    for header in sorted((ROOT / "gemmtune/families").glob("*/vendor_api.h")):
        name = str(header.relative_to(ROOT))
        message = compile_alone(compiler, name, options)
        if "No such file" in message or "not found" in message:
            folders.append(name.removesuffix("vendor_api.h"))
    return folders


def main():
    compiler, options = sys.argv[1], sys.argv[2:]
    left_out = tuple(left_out_folders(compiler, options))
    headers = sorted(str(p.relative_to(ROOT)) for p in (ROOT / "gemmtune").rglob("*.h"))
    headers = [h for h in headers if not h.startswith(left_out)]
    alone = [h for h in headers if not is_first_in_its_source(h)]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        problems = [p for p in pool.map(lambda h: compile_alone(compiler, h, options), alone) if p]
    print("\n".join(problems) or f"{len(headers)} headers compile alone, {len(alone)} of them tried here")
    return 1 if problems or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
