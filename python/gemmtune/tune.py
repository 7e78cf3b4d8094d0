"""Tunes problems with the program `gemmtune`, in a process of its own. The wheel has the program inside."""
import csv
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from .library import Error
from .runtime import parse_problem


INSIDE = pathlib.Path(__file__).parent / "bin" / "gemmtune"


def program():
    """GEMMTUNE_PROGRAM, the wheel's own, or gemmtune on the path."""
    found = os.environ.get("GEMMTUNE_PROGRAM") or (str(INSIDE) if INSIDE.exists() else shutil.which("gemmtune"))
    if not found:
        raise Error("invalid_argument", "the program gemmtune is not on the path; GEMMTUNE_PROGRAM may name it")
    return found


def main():
    """The command `gemmtune` that a wheel installs: becomes the program inside."""
    if not INSIDE.exists():
        sys.exit(f"gemmtune: {INSIDE} is not there: this package was not installed from a wheel")
    os.execv(INSIDE, ["gemmtune", *sys.argv[1:]])


def write_list(problems, path):
    """The problems as a list of shapes for `gemmtune tune`."""
    with open(path, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["M", "N", "K", "problem"])
        for text in problems:
            problem = parse_problem(text)
            rows.writerow([problem.m, problem.n, problem.k, text])


def _environment():
    """With the folder of this process's cuBLASLt first (torch brings its own): what is tuned with another version of the
    library would not be run here."""
    with open("/proc/self/maps") as maps:
        places = {os.path.dirname(line.split(maxsplit=5)[5].strip()) for line in maps if "/libcublasLt.so" in line}
    folders = [*sorted(places), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    return {**os.environ, "LD_LIBRARY_PATH": ":".join(folders)} if places else None


def tune(problems, table, *options):
    """Tunes problems of one format, given as texts, and writes the table, to which earlier rows belong. `options` are
    those of `gemmtune tune`: "--format", "a4w4", "--device", "cuda:0", … Returns what the program printed. Raises Error
    if it could not tune, and returns normally if some of the shapes failed: the text says which."""
    with tempfile.TemporaryDirectory() as folder:
        shapes = pathlib.Path(folder) / "untuned.csv"
        write_list(problems, shapes)
        command = [program(), "tune", "-i", str(shapes), "-o", str(table), *options]
        result = subprocess.run(command, capture_output=True, text=True, env=_environment())
    if result.returncode not in (0, 1):
        raise Error("invalid_argument" if result.returncode == 2 else "bad_input", result.stderr.strip())
    return result.stdout + result.stderr
