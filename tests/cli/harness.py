"""What the end-to-end scripts share: the program, a scratch folder for each test, and its output taken apart."""
import contextlib
import csv
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(sys.argv[1])
HEADER = "M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle\n"
PATIENCE_S = 300


def shape_list(sizes):
    """A list of f32 shapes: every build has a family for these."""
    lines = [f"{m},{n},{k},False,torch.float32,torch.float32,False,False\n" for m, n, k in sizes]
    return HEADER + "".join(lines)


def kill(pid):
    """Kills a process that was found in a list. Returns False if it has ended by itself since then."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gemmtune_cli_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        os.environ["GEMMTUNE_STATE"] = str(self.folder / "state")  # not the user's own

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def read(self, name):
        return (self.folder / name).read_text()

    def rows(self, name):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def run_program(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, text=True, capture_output=True, timeout=PATIENCE_S)

    def succeed(self, *arguments):
        result = self.run_program(*arguments)
        self.assertEqual(result.returncode, 0, self.shown(arguments, result))
        return result

    def fail_with(self, code, *arguments):
        result = self.run_program(*arguments)
        self.assertEqual(result.returncode, code, self.shown(arguments, result))
        self.assertNotIn("terminate called", result.stderr)
        return result

    def tune(self, *arguments):
        """Tunes with one family that has one candidate for each shape, so that a shape takes a moment."""
        return self.succeed("tune", "--libtype", "cpu_reference", *arguments)

    @contextlib.contextmanager
    def running(self, *arguments):
        """The program in the background; killed at the end if it is still there."""
        process = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    def wait_for_shapes(self, process, count):
        """Reads the log until `count` shapes are done. The rest of stderr stays to be read."""
        deadline = time.monotonic() + PATIENCE_S
        seen = []
        while time.monotonic() < deadline:
            line = process.stderr.readline()
            seen.append(line)
            if re.search(rf"\[{count}/\d+\]", line):
                return
            if line == "":
                break
        self.fail("the run ended early:\n" + "".join(seen))

    def trials(self, store):
        """(problem, candidate, stage) of every trial, in order."""
        with contextlib.closing(sqlite3.connect(f"file:{self.folder / store}?mode=ro", uri=True)) as database:
            return list(database.execute("SELECT problem, candidate, stage FROM trial_details ORDER BY trial_id"))

    @staticmethod
    def shown(arguments, result):
        return f"\n$ gemmtune {' '.join(arguments)}\n{result.stdout}\n{result.stderr}\nexit code {result.returncode}"


def main():
    """All tests, or those that are named after the program: Class or Class.test."""
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
