"""What tests of the fleet have in common, whatever starts the jobs."""
import time

from harness import CommandTest


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
