"""What tests of the fleet have in common, whatever starts the jobs."""
import pathlib
import shutil
import subprocess
import sys
import time

from harness import PROGRAM, CommandTest, shape_list

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHIPPED = (str(ROOT / "workers/example_worker.py"), str(ROOT / "tests/fleet/steady_worker.py"))


def worker(seconds):
    """The command of a worker, from shipped files, that spends this time on each shape."""
    return f"{sys.executable} -B files/steady_worker.py files/example_worker.py {seconds}"


def tune_on_one_machine(folder, sizes):
    """Makes list.csv there, and one.csv, which a run on many machines must equal."""
    (folder / "files").mkdir()
    for path in SHIPPED:
        shutil.copy(path, folder / "files")
    (folder / "list.csv").write_text(shape_list(sizes))
    subprocess.run([PROGRAM, "tune", "-i", "list.csv", "-o", "one.csv", "--worker", worker(0), "--libtype", "steady",
                    "--iters", "5", "--format", "a16w16", "--device", "cpu"], cwd=folder, check=True, capture_output=True)


class FleetTest(CommandTest):
    """A run that writes fleet.csv, and its folder."""

    def finished(self):
        folder = self.folder / "fleet.fleet" / "finished"
        return len(list(folder.iterdir())) if folder.exists() else 0

    def wait_for_finished(self, process, count):
        deadline = time.monotonic() + 90
        while self.finished() < count and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.05)
        if self.finished() < count:
            process.kill()
            self.fail("the run ended early: " + "".join(process.communicate()))
