#!/usr/bin/env python3
"""`--slurm` with Slurm's own daemons: an array gives the table of one machine, whatever happens to nodes and head."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import slurm
from fleet_case import SHIPPED, FleetTest, tune_on_one_machine, worker
from harness import PATIENCE_S, PROGRAM, main, shape_list

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZES = [(m, 16, 32) for m in range(4, 13)]
NODES = ("n1", "n2", "n3")


class WithSlurm(FleetTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="gemmtune_slurm_"))
        cls.shared.chmod(0o755)
        cls.slurm = slurm.Slurm(cls.shared, NODES)
        os.environ.update(SLURM_CONF=cls.slurm.conf, PATH=cls.slurm.environment["PATH"])
        tune_on_one_machine(cls.shared, SIZES)

    @classmethod
    def tearDownClass(cls):
        cls.slurm.close()
        shutil.rmtree(cls.shared, ignore_errors=True)

    def setUp(self):
        super().setUp()
        self.write("list.csv", shape_list(SIZES))
        self.slurm.wait_for("an empty queue", lambda: self.slurm.said("squeue", "--noheader").stdout == "")

    def arguments(self, seconds, calibration_pct=0):
        return ("tune", "-i", "list.csv", "-o", "fleet.csv", "--slurm", "--partition", "all", "--worker", worker(seconds),
                "--libtype", "steady", "--iters", "5", "--format", "a16w16", "--ship", SHIPPED[0], "--ship", SHIPPED[1],
                "--calibration_pct", str(calibration_pct))

    def shards(self):
        return len(list((self.folder / "fleet.fleet/shards").iterdir()))

    def nodes_of_tries(self):
        return [entry["host"] for path in (self.folder / "fleet.fleet/shards").glob("*/attempts.json")
                for entry in json.loads(path.read_text())["tries"]]

    def hold_others(self):
        """From now on, all shapes but the first one take a minute, unless the file that this returns is there."""
        go_on = self.folder / "go on"
        fault = {"FLEET_TEST_LOG": str(self.folder / "measured"), "FLEET_TEST_FAULT": f"hold_others:{go_on}"}
        patch = unittest.mock.patch.dict(os.environ, fault)
        patch.start()
        self.addCleanup(patch.stop)
        return go_on

    def go_on_after(self, line, go_on, *arguments):
        """Runs the command, whose shapes go on once it has said the line, so that no time is too short for that."""
        with self.running(*arguments) as process:
            log = ""
            while line not in log and (more := process.stderr.readline()):
                log += more
            self.assertIn(line, log)
            go_on.touch()
            output, rest = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0, output + log + rest)
        return log + rest

    def run_again_after(self, edit):
        """What the command does with a folder that a kill between two steps has left: shard 1, and its record."""
        self.succeed(*self.arguments(0))
        job = self.read("fleet.fleet/slurm-job")
        shard = self.folder / "fleet.fleet/shards/1"
        (self.folder / "fleet.fleet/finished/1").unlink()
        edit(shard, json.loads((shard / "attempts.json").read_text()))
        self.succeed(*self.arguments(0))
        self.assertEqual(self.read("fleet.fleet/slurm-job"), job)  # no other array
        self.assertEqual(len(self.nodes_of_tries()), self.shards())
        self.check_complete()

    def sbatch_that_is_slow(self, before, after):
        """In place of sbatch. The head is killed before or after Slurm has the array, and never hears of it."""
        (self.folder / "bin").mkdir()
        real = shutil.which("sbatch")
        kill = "kill -9 $(cat head)"
        self.write("bin/sbatch", f"#!/bin/sh\n{before}\njob=$({real} \"$@\")\n{after}\n".replace("KILL", kill))
        (self.folder / "bin/sbatch").chmod(0o755)
        go_on = self.hold_others()
        environment = os.environ | {"PATH": f"{self.folder}/bin:{os.environ['PATH']}"}
        head = subprocess.Popen([PROGRAM, *self.arguments(0)], cwd=self.folder, env=environment,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.write("head", str(head.pid))
        head.wait(60)
        self.assertEqual(head.returncode, -signal.SIGKILL)
        self.go_on_after("going on with Slurm's job", go_on, *self.arguments(0))
        self.assertEqual(len(self.nodes_of_tries()), self.shards())
        begun = [line for line in self.read("measured").splitlines() if line.startswith("begin")]
        self.assertEqual(len(begun), len(SIZES))
        self.check_complete()

    def check_table(self):
        self.assertEqual(self.read("fleet.csv"), (self.shared / "one.csv").read_text())

    def check_complete(self):
        self.check_table()
        self.assertEqual(sorted(self.trials("fleet.trials.db")), sorted(self.trials(self.shared / "one.trials.db")))

    def test_an_array(self):
        result = self.succeed(*self.arguments(0.5, 10))
        self.assertRegex(result.stderr, rf"Slurm's job \d+: an array of {self.shards()} tasks")
        self.assertEqual(set(self.nodes_of_tries()), set(NODES))
        self.assertRegex(result.stdout, r"(?m)^n1 +\d+ +\d+ +0 +\S+ \S+ +\d+")
        self.check_complete()

    def test_a_node_is_set_down(self):
        self.addCleanup(self.slurm.wait_for, "all up", lambda: self.slurm.states().count("idle") == len(NODES))
        self.addCleanup(self.slurm.set_up, "n2")
        with self.running(*self.arguments(2)) as process:
            self.wait_for_finished(process, 1)
            deadline = time.monotonic() + 90
            self.slurm.set_down("n2")
            while process.poll() is None and time.monotonic() < deadline:
                self.slurm.start_requeued()
                time.sleep(1)
            output, log = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0, output + log)
        self.check_table()

    def test_the_head_is_killed(self):
        go_on = self.hold_others()
        with self.running(*self.arguments(0)) as process:
            self.wait_for_finished(process, 1)
            process.kill()
            process.wait()
        self.go_on_after("going on with Slurm's job", go_on, *self.arguments(0))
        self.assertEqual(len(self.nodes_of_tries()), self.shards())
        self.check_complete()

    def test_killed_before_the_shard_is_marked_as_finished(self):
        self.run_again_after(lambda shard, log: None)

    def test_killed_before_the_record_says_what_came_back(self):
        self.run_again_after(lambda shard, log: (shard / "attempts.json").write_text(
            json.dumps(log | {"state": 0, "tries": []})))

    def test_killed_after_slurm_has_the_array(self):
        self.sbatch_that_is_slow("", "KILL")

    def test_killed_before_slurm_has_the_array(self):
        self.sbatch_that_is_slow("KILL; sleep 4", "")

    def test_another_run_in_the_same_folder_cancels_the_first(self):
        go_on = self.hold_others()
        with self.running(*self.arguments(0)) as process:
            self.wait_for_finished(process, 1)
            process.kill()
            process.wait()
        log = self.go_on_after("is cancelled", go_on, *self.arguments(0.1))
        self.assertRegex(log, r"was not done: its job \d+ is cancelled")
        self.check_table()

    def test_squeue_is_silent(self):
        """As while Slurm's controller is started anew."""
        (self.folder / "bin").mkdir()
        self.write("bin/squeue", f"#!/bin/sh\n[ -f {self.folder}/silent ] || exec {shutil.which('squeue')} \"$@\"\n"
                                 f"echo asked >>{self.folder}/asked\n"
                                 "echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2\nexit 1\n")
        (self.folder / "bin/squeue").chmod(0o755)
        more = {"PATH": f"{self.folder}/bin:{os.environ['PATH']}", "FLEET_TEST_LOG": str(self.folder / "measured")}
        with unittest.mock.patch.dict(os.environ, more), self.running(*self.arguments(1)) as process:
            self.wait_for_finished(process, 1)
            self.write("silent", "")
            deadline = time.monotonic() + 60
            while (not (self.folder / "asked").exists() or len(self.read("asked").splitlines()) < 3) and \
                    process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.1)
            self.assertIsNone(process.poll(), "it waits for an answer")
            (self.folder / "silent").unlink()
            output, log = process.communicate(timeout=90)
        self.assertEqual(process.returncode, 0, output + log)
        self.assertGreaterEqual(len(self.read("asked").splitlines()), 3)
        self.assertIn("squeue: slurm_load_jobs error: Unable to contact slurm controller; asking again", log)
        self.assertEqual(log.count("an array of"), 1)
        begun = [line for line in self.read("measured").splitlines() if line.startswith("begin")]
        self.assertEqual(len(begun), len(SIZES))
        self.check_complete()

    def test_the_budget_ends_the_array(self):
        go_on = self.hold_others()
        result = self.fail_with(1, *self.arguments(0), "--budget", "40s")
        self.assertIn("the budget of 40s is spent: ", result.stdout)
        self.assertIn("the same command goes on there", result.stdout)
        self.assertEqual(self.slurm.said("squeue", "--noheader").stdout, "")
        self.assertEqual(len(self.rows("fleet.csv")), 1, "what was not held is done")
        go_on.touch()
        self.succeed(*self.arguments(0), "--budget", "10m")
        self.check_complete()

    def test_the_program_is_copied_once(self):
        def programs():
            return sorted(self.folder.glob("*.fleet/bundles/*/bin/gemmtune"))
        self.succeed(*self.arguments(0))
        program, = programs()
        self.assertFalse(program.is_symlink())
        self.succeed(*("beside.csv" if word == "fleet.csv" else word for word in self.arguments(0)))
        self.assertEqual(len(programs()), 2)
        self.assertEqual(len({path.stat().st_ino for path in programs()}), 1, "hard links")
        self.assertNotEqual(program.stat().st_ino, os.stat(PROGRAM).st_ino, "not of the user's own file")
        program.unlink()  # damaged
        (self.folder / "fleet.fleet/bundles/old").mkdir()
        self.succeed(*self.arguments(0), "--all")
        self.assertEqual(program.read_bytes(), pathlib.Path(PROGRAM).read_bytes())
        self.assertFalse((self.folder / "fleet.fleet/bundles/old").exists())
        self.check_table()

    def test_ctrl_c_cancels_and_the_command_goes_on(self):
        go_on = self.hold_others()
        with self.running(*self.arguments(0)) as process:
            self.wait_for_finished(process, 1)
            job = (self.folder / "fleet.fleet/slurm-job").read_text().strip()
            deadline = time.monotonic() + 20
            while True:
                status = self.succeed("status", "--slurm", job).stdout
                if "running on" in status or time.monotonic() > deadline:
                    break
            self.assertRegex(status, rf"job {job} in .*fleet.fleet: \d of {self.shards()} shards are finished")
            self.assertRegex(status, r"running on n\d, \d of \d shapes")
            process.send_signal(signal.SIGINT)
            output, log = process.communicate(timeout=90)
        self.assertEqual(process.returncode, 130, output + log)
        self.assertEqual(self.slurm.said("squeue", "--noheader").stdout, "")
        go_on.touch()
        self.succeed(*self.arguments(0))
        self.check_complete()


if __name__ == "__main__":
    if why := slurm.why_not():
        print(f"skipped: {why}")
        sys.exit(77)
    main()
