"""Tunes problems with the program `gemmtune`, in a process of its own."""
import csv
import os
import pathlib
import shutil
import subprocess
import tempfile

from .library import Error
from .runtime import parse_problem


def program():
    """GEMMTUNE_PROGRAM, or gemmtune on the path."""
    found = os.environ.get("GEMMTUNE_PROGRAM") or shutil.which("gemmtune")
    if not found:
        raise Error("invalid_argument", "the program gemmtune is not on the path; GEMMTUNE_PROGRAM may name it")
    return found


def write_list(problems, path):
    """The problems as a list of shapes for `gemmtune tune`."""
    with open(path, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["M", "N", "K", "problem"])
        for text in problems:
            problem = parse_problem(text)
            rows.writerow([problem.m, problem.n, problem.k, text])


def tune(problems, table, *options):
    """Tunes problems of one format, given as texts, and writes the table, to which earlier rows belong. `options` are
    those of `gemmtune tune`: "--format", "a4w4", "--device", "cuda:0", … Returns what the program printed. Raises Error
    if it could not tune, and returns normally if some of the shapes failed: the text says which."""
    with tempfile.TemporaryDirectory() as folder:
        shapes = pathlib.Path(folder) / "untuned.csv"
        write_list(problems, shapes)
        command = [program(), "tune", "-i", str(shapes), "-o", str(table), *options]
        result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode not in (0, 1):
        raise Error("invalid_argument" if result.returncode == 2 else "bad_input", result.stderr.strip())
    return result.stdout + result.stderr
