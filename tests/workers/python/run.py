#!/usr/bin/env python3
"""Runs one test file with a Python that has numpy: the one that CMake found may be another than the distribution's."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
SKIPPED = 77


def has_numpy(python):
    return subprocess.run([python, "-c", "import numpy"], stderr=subprocess.DEVNULL, check=False).returncode == 0


def main():
    pythons = [python for python in (sys.executable, "/usr/bin/python3") if os.path.exists(python)]
    python = next((python for python in pythons if has_numpy(python)), None)
    if python is None:
        print("skipped: no numpy; tools/install-dependencies installs it")
        return SKIPPED
    folder = pathlib.Path(__file__).parent
    paths = [str(ROOT / "workers" / "python"), str(folder), os.environ.get("PYTHONPATH", "")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([python, str(folder / sys.argv[1]), *sys.argv[2:]], env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
