#!/usr/bin/env python3
"""Kills processes that capture into one file, with SIGKILL at random moments.

    kill_capture.py BIN_FOLDER KILLS

What a process said is safe must be in the file; what it counted beyond that may be, once. The file can be read at any
time, and old temporary files are swept up by the next writer.
"""
import csv
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

BIN = pathlib.Path(sys.argv[1])
KILLS = int(sys.argv[2])
CALLS = 100  # of each write
AT_ONCE = 3  # processes


def calls_in(path):
    if not path.exists():
        return 0
    with open(path, newline="", encoding="utf-8") as file:
        return sum(int(row["calls"]) for row in csv.DictReader(file))


def start(path):
    return subprocess.Popen([BIN / "attack_capture", path, str(CALLS)], stdout=subprocess.PIPE, text=True)


def safe_calls(process):
    """The last whole line that the killed process wrote."""
    lines = [line for line in process.communicate()[0].split("\n")[:-1] if line]
    return int(lines[-1]) if lines else 0


def main():
    random.seed(20261129)
    with tempfile.TemporaryDirectory(prefix="gemmtune-capture-") as folder:
        folder = pathlib.Path(folder)
        path = folder / "capture.csv"
        least = most = kills = 0
        while kills < KILLS:
            processes = [start(path) for _ in range(AT_ONCE)]
            for process in processes:
                time.sleep(random.uniform(0.0, 0.05))
                process.send_signal(signal.SIGKILL)
            for process in processes:
                assert process.poll() is None or process.returncode == -signal.SIGKILL or process.wait() == -signal.SIGKILL
                safe = safe_calls(process)
                least, most, kills = least + safe, most + safe + CALLS, kills + 1
            found = calls_in(path)
            assert least <= found <= most, f"{found} calls in the file, expected {least} to {most}"
        left = [name for name in os.listdir(folder) if name.endswith(".tmp")]
        for name in left:
            os.utime(folder / name, (0, 0))
        last = start(path)
        last.stdout.readline()
        last.kill()
        last.communicate()
        swept = [name for name in left if not (folder / name).exists()]
        assert swept == left, f"not swept: {set(left) - set(swept)}"
        print(f"{kills} kills: {found} calls in the file, {least} were safe and at most {most} were counted; "
              f"{len(left)} temporary files were left, and all were swept")


main()
