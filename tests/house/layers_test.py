#!/usr/bin/env python3
"""Holds the #includes of gemmtune/, kernels of GPUs included, against the table of layers, and CMake's USES against the includes.

Linking alone does not enforce layers: with one include root, every header can be seen from everywhere.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# folder: the folders that it may use directly. It may also use the folders that those may use.
LAYERS = {
    "core": [],
    "gemm": ["core"],
    "space": ["core", "gemm"],
    "device": ["core"],
    "kernels": ["gemm", "device"],
    "families": ["gemm", "device", "kernels", "space"],
    "verify": ["gemm", "device", "space"],
    "measure": ["core", "device", "space"],
    "evaluate": ["families", "verify", "measure"],
    "worker": ["core", "evaluate"],
    "search": ["space", "measure"],
    "trials": ["core", "gemm", "space", "device"],
    "table": ["core", "gemm", "space"],
    "dispatch": ["core", "gemm", "space", "table"],
    "runtime": ["dispatch", "families"],
    "preload": ["dispatch", "families"],
    "shapes": ["core", "gemm", "table"],
    "exchange": ["core", "gemm", "space", "table", "shapes"],
    "tune": ["search", "worker", "trials", "table", "shapes"],
    "report": ["measure", "table", "trials"],
    "replay": ["tune", "trials"],
    "bench": ["tune", "dispatch", "report"],
    "fleet": ["core", "shapes", "table", "trials"],
    "cli": ["exchange", "tune", "dispatch", "report", "replay", "bench", "fleet"],
}

# These families convert their operands and call another family: they include this header of its folder, and no other.
COMPOSED = {
    "families/cublaslt/folded.h": ("mxfp4_cublaslt", "mxfp4_bf16"),
}


# This folder stands in for the library of one family, and shares what that family knows of it.
STANDS_IN = {"preload": "cublaslt"}


def reach(folder):
    seen, todo = {folder}, [folder]
    while todo:
        for used in LAYERS[todo.pop()]:
            if used not in seen:
                seen.add(used)
                todo.append(used)
    return seen


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*[<"]gemmtune/([^>"]+)[>"]', line)
        if match:
            yield number, match.group(1)


def check_file(path):
    parts = path.relative_to(ROOT / "gemmtune").parts
    folder = parts[0]
    if folder not in LAYERS:
        return [f"{path}: the folder '{folder}' stands in no layer; add it to {__file__} and to the design"]
    allowed = reach(folder)
    problems = []
    for number, included in includes(path):
        target = included.split("/")
        if target[0] not in allowed:
            problems.append(f"{path}:{number}: {folder}/ may not use {target[0]}/ ({included})")
        if target[0] == "families" and len(target) > 2 and STANDS_IN.get(folder) == target[1]:
            continue
        if target[0] == "families" and len(target) > 2 and parts[:2] != ("families", target[1]) and parts[1] not in COMPOSED.get(included, ()):
            problems.append(f"{path}:{number}: nothing outside families/{target[1]}/ may name it ({included})")
    return problems


def check_uses(folder):
    cmake = ROOT / "gemmtune" / folder / "CMakeLists.txt"
    match = re.search(r"gemmtune_library\(\s*%s\b.*?\bUSES\s+([a-z_\s]+?)(?:LIBRARIES|SOURCES|\))" % folder, cmake.read_text(), re.S)
    used = match.group(1).split() if match else []
    return [f"{cmake}: USES {name}, which the layers do not allow" for name in used if name not in reach(folder)]


def main():
    files = sorted(p for p in (ROOT / "gemmtune").rglob("*") if p.suffix in (".h", ".cpp", ".cu", ".cuh"))
    problems = [problem for path in files for problem in check_file(path)]
    problems += [problem for folder in LAYERS if folder != "families" for problem in check_uses(folder)]
    print("\n".join(problems) or f"{len(files)} files keep to the layers")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
