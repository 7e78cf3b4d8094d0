#!/usr/bin/env python3
"""House rules that can be counted: see CONTRIBUTING.md."""
import ast
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = (".h", ".cpp", ".cu", ".cuh")
HEADERS = (".h", ".cuh")
LONGEST_FILE = 600
MEDIAN_FILE = 120
LONGEST_PAGE_LINE = 120
VENDOR_HEADERS = re.compile(r'#\s*include\s*[<"](cuda|hip/|nvrtc|cublas|hipblas|nvml)')
# (what, below which folder, the files that do it right, why not elsewhere)
ONLY_HERE = (
    (re.compile(r"<regex>"), "gemmtune", (), "std::regex recurses and takes time without bound: use RE2"),
    (re.compile(r"json::parse\(", re.I), "gemmtune",
     ("core/json.cpp", "worker/messages.cpp", "trials/rows.cpp", "trials/context.cpp",
      "table/triton/triton_json.cpp", "cli/table/table_triton_resolve_command.cpp"),  # the last two: of parsed text
     "foreign JSON is read by core/json.h, which limits its depth"),
    (re.compile(r"\.dump\("), "gemmtune/cli", (), "JSON for others is written by json_text() of core/json.h"),
    (re.compile(r"\bstd::(cout|cerr|printf|puts)\b|\bfmt::print\("), "gemmtune/cli",
     ("cli/output.cpp", "cli/tune/progress.cpp"), "cli/output.h writes: checked, and with foreign text made visible"),
)
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
MUTABLE_GLOBAL = re.compile(r"^(static |inline )?(std::(map|vector|string|unordered_map|mutex)\b[^()=]*)\s\w+(\{.*\})?;$")


def may_include_vendor(path, header):
    """The two vendors' headers never meet: a source of device/gpu/vendor includes those of its own vendor only."""
    if "device/gpu/vendor" in str(path):
        vendor = "hip" if header.startswith("hip") else "cuda"
        return path.suffix == ".cpp" and path.name.startswith(vendor)
    return path.name == "vendor_api.h" and ("families" in path.parts or "preload" in path.parts)


def problems_in(path):
    lines = path.read_text().splitlines()
    if len(lines) > LONGEST_FILE:
        yield f"{path}: {len(lines)} lines, at most {LONGEST_FILE}"
    for number, line in enumerate(lines, 1):
        if UNFINISHED.search(line):
            yield f"{path}:{number}: unfinished work belongs in no source: {line.strip()}"
        header = VENDOR_HEADERS.search(line)
        if header and not may_include_vendor(path, header.group(1)):
            yield f"{path}:{number}: only that vendor's sources in device/gpu/vendor and a family's vendor_api.h may include this"
        for pattern, below, here, why in ONLY_HERE:
            if path.is_relative_to(ROOT / below) and pattern.search(line) and not str(path).endswith(here or "\0"):
                yield f"{path}:{number}: {why}: {line.strip()}"
        if MUTABLE_GLOBAL.match(line):
            yield f"{path}:{number}: a mutable global: {line.strip()}"
        if re.match(r"\s*#\s*pragma once", line) and path.suffix not in HEADERS:
            yield f"{path}:{number}: pragma once outside a header"
    if path.suffix != ".cpp" and not lines[0].startswith("//"):
        yield f"{path}:1: a header or a file of kernels begins by saying what it is for"
    if path.suffix in HEADERS and "#pragma once" not in lines:
        yield f"{path}: a header without pragma once"


def types_in(path):
    """(namespace, name) of what a header defines outside of any class."""
    text = path.read_text()
    namespace = re.search(r"^namespace ([\w:]+) \{", text, re.M)
    names = re.findall(r"^(?:struct|class|enum class) (?:alignas\([^)]*\) )?(\w+)[^;\n]*\{", text, re.M)
    return [(namespace.group(1) if namespace else "", name) for name in names]


def types_defined_twice(headers):
    """A program with two types of one name links, and the functions of one type run on objects of the other."""
    places = {}
    for path in headers:
        for name in types_in(path):
            places.setdefault(name, []).append(path)
    for (namespace, name), paths in places.items():
        if len(paths) > 1:
            yield f"{namespace}::{name} is defined in {' and in '.join(str(p) for p in paths)}"


def python_defined_twice():
    """A second definition of a name in one scope silently replaces the first, as after a merge that kept both."""
    for folder in ("bench", "docs", "examples", "python", "tests", "tools", "workers"):
        for path in (ROOT / folder).rglob("*.py"):
            for scope in ast.walk(ast.parse(path.read_text())):
                if not isinstance(scope, (ast.Module, ast.ClassDef)):
                    continue
                names = [node.name for node in scope.body
                         if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.decorator_list]
                for name in sorted({name for name in names if names.count(name) > 1}):
                    yield f"{path}: {name} is defined twice"


def pages():
    yield from ROOT.glob("*.md")
    for folder in ("docs", "examples", "workers"):
        yield from (ROOT / folder).rglob("*.md")


def anchors_of(page):
    """The anchors of a page's headings, as GitHub makes them: lower case, no punctuation, a hyphen for each space."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def broken_links():
    """Links in pages to files and headings that do not exist."""
    for page in pages():
        for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)]*))?\)", page.read_text()):
            to = page.parent / target if target else page
            if not to.exists():
                yield f"{page}: links to {target}, which is not there"
            elif anchor and to.suffix == ".md" and anchor not in anchors_of(to):
                yield f"{page}: links to #{anchor} of {to.name}, which has no such heading"


def long_lines_of_pages():
    """Too long lines outside of tables, pictures and code, fenced or indented. A line of one long word may stay."""
    for page in pages():
        is_code = False
        for number, line in enumerate(page.read_text().splitlines(), 1):
            is_code ^= line.lstrip().startswith("```")
            breaks = " " in line.strip()[:LONGEST_PAGE_LINE]
            if len(line) > LONGEST_PAGE_LINE and breaks and not is_code and not line.startswith(("|", "![", "    ")):
                yield f"{page}:{number}: {len(line)} columns, at most {LONGEST_PAGE_LINE}"


def conflict_markers():
    """Lines that a merge left behind, in any text of the repository."""
    folders = ("gemmtune", "include", "tests", "bench", "cmake", "docs", "examples", "python", "tools", "workers")
    paths = [path for path in ROOT.iterdir() if path.is_file()]
    paths += [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    for path in paths:
        lines = path.read_bytes().split(b"\n")
        for number, line in enumerate(lines, 1):
            if line.startswith((b"<" * 7 + b" ", b">" * 7 + b" ")):
                yield f"{path}:{number}: a merge left a conflict here"


def main():
    files = sorted(p for p in (ROOT / "gemmtune").rglob("*") if p.suffix in SOURCES)
    problems = [problem for path in files for problem in problems_in(path)]
    problems += types_defined_twice(path for path in files if path.suffix == ".h")
    problems += broken_links()
    problems += long_lines_of_pages()
    problems += conflict_markers()
    problems += python_defined_twice()
    median = statistics.median(len(p.read_text().splitlines()) for p in files)
    if median > MEDIAN_FILE:
        problems.append(f"the median file has {median} lines, at most {MEDIAN_FILE}")
    print("\n".join(problems) or f"{len(files)} files keep the rules; the median one has {median:.0f} lines")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
