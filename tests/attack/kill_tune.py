#!/usr/bin/env python3
"""Kills `gemmtune tune` with SIGKILL at random moments and starts it again, until it is done; then from the beginning.

    kill_tune.py GEMMTUNE KILLS

No trial is lost or made twice, no row stands twice in the table or the profile, the store is sound after every kill, the
next run starts at once, and no worker is left behind.
"""
import collections
import csv
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
KILLS = int(sys.argv[2])
HEADER = "M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle\n"
SHAPES = [(m, 16 * n, 32) for m in (1, 2, 3, 4, 6, 8) for n in (1, 2)]


def trials(folder):
    if not (folder / "store.db").exists():
        return []
    database = sqlite3.connect(f"file:{folder / 'store.db'}?mode=ro", uri=True)
    try:
        return list(database.execute("SELECT id, problem_id, candidate_id, stage, context_id FROM trials ORDER BY id"))
    except sqlite3.OperationalError as error:
        assert "no such table" in str(error), error  # killed before the tables were made
        return []
    finally:
        database.close()


def rows(path):
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))[1:]


def start(folder):
    return subprocess.Popen([PROGRAM, "tune", "-i", "list.csv", "-o", "tuned.csv", "-o2", "profile.csv", "--store",
                             "store.db", "--libtype", "cpu_reference"], cwd=folder, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)


def workers_of(pid):
    """Processes whose parent was the tuner."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(path.parent.name))
    return found


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def no_doubles(what, values):
    doubles = [value for value, count in collections.Counter(values).items() if count > 1]
    assert not doubles, f"{what} stand twice: {doubles[:3]}"


def check(folder, before):
    now = trials(folder)
    assert now[:len(before)] == before, "trials were lost"
    no_doubles("trials", [trial[1:] for trial in now])
    no_doubles("rows of the table", [tuple(row[:6]) for row in rows(folder / "tuned.csv")])
    no_doubles("rows of the profile", [tuple(row) for row in rows(folder / "profile.csv")])
    if now:
        checked = subprocess.run([PROGRAM, "store", "check", "store.db"], cwd=folder, capture_output=True, text=True)
        assert checked.returncode == 0, checked.stdout + checked.stderr
    return now


def killed_run(folder, longest_s):
    process = start(folder)
    time.sleep(random.uniform(0, longest_s))
    workers = workers_of(process.pid)
    process.kill()
    process.wait()
    deadline = time.monotonic() + 10
    while any(is_alive(pid) for pid in workers):
        assert time.monotonic() < deadline, "a worker outlives the tuner"
        time.sleep(0.01)
    process.stdout.close()
    return process.returncode == -signal.SIGKILL


def campaign(folder, kills_left, longest_s):
    """One list, killed until it is done or the kills are used up. Returns the number of kills."""
    (folder / "list.csv").write_text(HEADER + "".join(
        f"{m},{n},{k},False,torch.float32,torch.float32,False,False\n" for m, n, k in SHAPES))
    kills, seen = 0, []
    while kills < kills_left and killed_run(folder, longest_s):
        kills += 1
        seen = check(folder, seen)
    last = start(folder)
    output, _ = last.communicate(timeout=300)
    assert last.returncode == 0, output
    check(folder, seen)
    assert len(rows(folder / "tuned.csv")) == len(SHAPES), output
    return kills


def main():
    random.seed(20261129)
    kills = campaigns = left = 0
    longest_s = 1.0
    while kills < KILLS:
        with tempfile.TemporaryDirectory(prefix="gemmtune-kill-") as folder:
            folder = pathlib.Path(folder)
            os.environ["GEMMTUNE_STATE"] = str(folder / "state")
            begin = time.monotonic()
            kills += campaign(folder, KILLS - kills, longest_s)
            longest_s = min(2.0, max(0.2, time.monotonic() - begin))
            campaigns += 1
            left += sum(name.endswith(".tmp") for name in os.listdir(folder))
    print(f"{kills} kills in {campaigns} runs of {len(SHAPES)} shapes: nothing lost, nothing twice; {left} temporary "
          "files left")


main()
