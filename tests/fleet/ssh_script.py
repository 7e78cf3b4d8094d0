#!/usr/bin/env python3
"""`--hosts` with real ssh daemons: the table of one machine, a third of the time, and nothing lost whatever fails."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import network
from fleet_case import SHIPPED, FleetTest, worker
from harness import PROGRAM, main, shape_list

SIZES = [(m, 16, 32) for m in range(4, 13)]
NAMES = ("one", "two", "three")


def options(seconds, calibration_pct=0):
    return ("--worker", worker(seconds), "--libtype", "steady", "--iters", "5", "--format", "a16w16",
            "--ship", SHIPPED[0], "--ship", SHIPPED[1],
            "--calibration_pct", str(calibration_pct), "--lost_after", "3s")


class Ssh(FleetTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="gemmtune_fleet_"))
        cls.disk = cls.shared / "small disk"
        cls.network = network.Network(cls.shared, NAMES, {cls.disk: 400})
        cls.of_one_machine = cls.tune_on_one_machine()

    @classmethod
    def tearDownClass(cls):
        cls.network.close()
        shutil.rmtree(cls.shared, ignore_errors=True)

    def setUp(self):
        super().setUp()
        self.addCleanup(self.wait_for_orphans)
        self.write("list.csv", shape_list(SIZES))

    def wait_for_orphans(self):
        """Processes of a head that was killed end soon after it."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and \
                subprocess.run(["pgrep", "-f", str(self.folder)], capture_output=True).returncode == 0:
            time.sleep(0.2)

    def hosts(self, extra=None, names=NAMES, common=""):
        """A hosts file; `extra` has more lines for hosts by name."""
        text = f"ssh = [\"ssh\", \"-F\", \"{self.shared}/ssh_config\"]\ndevices = [\"cpu\"]\n{common}\n"
        for name in names:
            text += f"[{name}]\naddress = \"{self.network.address(name)}\"\nfolder = \"{self.shared}/work {name}'s\"\n"
            text += (extra or {}).get(name, "")
        return self.write("hosts.toml", text)

    def arguments(self, seconds=0.3, calibration_pct=0):
        return ("tune", "-i", "list.csv", "-o", "fleet.csv", "--hosts", "hosts.toml", *options(seconds, calibration_pct))

    @classmethod
    def tune_on_one_machine(cls):
        """The folder in which one machine tuned the list."""
        folder = cls.shared / "one machine"
        (folder / "files").mkdir(parents=True)
        for path in SHIPPED:
            shutil.copy(path, folder / "files")
        (folder / "list.csv").write_text(shape_list(SIZES))
        subprocess.run([PROGRAM, "tune", "-i", "list.csv", "-o", "one.csv", "--worker", worker(0), "--libtype", "steady",
                        "--iters", "5", "--format", "a16w16", "--device", "cpu"], cwd=folder, check=True,
                       capture_output=True, env=os.environ | {"GEMMTUNE_STATE": str(folder / "state")})
        return folder

    def check_table(self, name="fleet.csv"):
        self.assertEqual(self.read(name), (self.of_one_machine / "one.csv").read_text())

    def check_complete(self):
        self.check_table()
        self.check_trials_once()

    def check_trials_once(self):
        """A machine that is never disturbed makes these trials and no more."""
        self.assertEqual(sorted(self.trials("fleet.trials.db")), sorted(self.trials(self.of_one_machine / "one.trials.db")))

    def tries(self):
        """All tries of all shards: (host, verdict)."""
        found = []
        for path in sorted((self.folder / "fleet.fleet/shards").glob("*/attempts.json")):
            found += [(entry["host"], entry["verdict"]) for entry in json.loads(path.read_text())["tries"]]
        return found

    def test_hosts_check(self):
        self.hosts({"two": "program = \"/bin/echo\"\n", "three": "devices = [\"cuda:9\"]\n"})
        result = self.fail_with(1, "hosts", "check", "hosts.toml")
        self.assertRegex(result.stdout, r"(?m)^one +ready +1 x .* GB +gemmtune \d")
        self.assertRegex(result.stdout, r"(?m)^two +another version: echo .* there, gemmtune \d\S* here")
        self.assertRegex(result.stdout, r"(?m)^three +there is no device cuda:9")

    def test_the_same_table_in_a_third_of_the_time(self):
        """The worker spends the time of a shape as a device would: without a core of this machine. Three hosts share the
        cores on which they start their shards, so that a run without that time is subtracted."""
        self.hosts()
        self.succeed("hosts", "check", "hosts.toml")  # the program is there then
        starting_s = self.seconds_of_run(0)
        for path in self.folder.glob("fleet.*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        seconds = 10
        alone_s = seconds * len(SIZES)
        together_s = self.seconds_of_run(seconds)
        print(f"one machine {alone_s} s, three hosts {together_s:.1f} s, of which starting {starting_s:.1f} s",
              file=sys.stderr)
        self.check_complete()
        self.assertLess(together_s - starting_s, 0.45 * alone_s)
        self.assertEqual({host for host, _ in self.tries()}, set(NAMES))
        again = self.succeed(*self.arguments(seconds))
        self.assertIn(f"0 tuned, 0 failed, {len(SIZES)} skipped", again.stdout)

    def seconds_of_run(self, seconds):
        start = time.monotonic()
        result = self.succeed(*self.arguments(seconds))
        self.assertIn(f"{len(SIZES)} tuned, 0 failed, 0 skipped", result.stdout)
        return time.monotonic() - start

    def test_a_program_that_is_damaged_is_copied_again(self):
        self.hosts(names=("one",))
        self.succeed("hosts", "check", "hosts.toml")
        program = next((self.shared / "work one's/bundles").glob("*/bin/gemmtune"))
        whole = program.read_bytes()
        program.write_bytes(whole[:-1] + b"x")
        self.assertIn("copied now", self.succeed("hosts", "check", "hosts.toml").stdout)
        self.assertEqual(program.read_bytes(), whole)
        self.assertNotIn("copied now", self.succeed("hosts", "check", "hosts.toml").stdout)

    def test_a_host_is_cut_off(self):
        self.hosts()
        self.addCleanup(self.network.connect, "three")
        with self.running(*self.arguments(1)) as process:
            self.wait_for_finished(process, 1)
            self.network.cut_off("three")
            output, log = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, output + log)
        self.assertRegex(output, r"(?m)^three cpu:0 .*set aside: not reachable")
        self.check_table()

    def test_full_disk_other_version_and_crashing_worker(self):
        other = self.shared / "other"
        other.write_text("#!/bin/sh\necho gemmtune 0.0.1\n")
        other.chmod(0o755)
        disk = self.disk
        self.hosts({"two": "environment = { FLEET_TEST_FAULT = \"crash\" }\n",
                    "three": f"\n[four]\naddress = \"{self.network.address('three')}\"\nfolder = \"{disk}\"\n"
                             f"[five]\naddress = \"{self.network.address('two')}\"\nprogram = \"{other}\"\n"})
        with self.running(*self.arguments(0.5, 10)) as process:
            deadline = time.monotonic() + 60
            while not list(disk.glob("runs/*/[0-9]*/pid")) and time.monotonic() < deadline:
                time.sleep(0.05)
            with open(disk / "filler", "wb", buffering=0) as filler, self.assertRaises(OSError):  # nothing is left for close
                while True:
                    filler.write(bytes(1 << 16))
            output, log = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, output + log)
        self.assertRegex(output, r"(?m)^two cpu:0 .*set aside: its calibration failed")
        self.assertRegex(output, r"(?m)^four cpu:0 .*set aside: the disk is full")
        self.assertRegex(log, r"(?m)^five +another version: gemmtune 0.0.1 there")
        self.check_table()

    def test_a_host_whose_worker_begins_to_crash(self):
        flag = self.folder / "crash"
        self.hosts({"two": f"environment = {{ FLEET_TEST_FAULT = \"crash_while:{flag}\" }}\n"})
        with self.running(*self.arguments(0.5, 10)) as process:
            self.wait_for_finished(process, 1)
            flag.touch()
            output, log = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, output + log)
        self.assertRegex(output, r"(?m)^two cpu:0 .*set aside: ")
        self.check_complete()
        self.assertIn("nothing is quarantined", self.succeed("quarantine", "list", "--store", "fleet.trials.db").stdout)

    def test_a_candidate_that_crashes_is_quarantined_for_all(self):
        self.hosts(common="environment = { FLEET_TEST_FAULT = \"crash_at:python_index\" }")
        self.succeed(*self.arguments(0, 10))
        held_back = json.loads(self.succeed("quarantine", "list", "--store", "fleet.trials.db", "--json").stdout)
        self.assertEqual([entry["kernel"] for entry in held_back], ["python_index"] * len(SIZES))
        self.assertNotIn("python_index", self.read("fleet.csv"))

    def test_a_host_that_measures_far_off(self):
        self.hosts({"two": "environment = { FLEET_TEST_FAULT = \"slow\" }\n"})
        result = self.succeed(*self.arguments(0.3, 10))
        self.succeed("analyze", "fleet.trials.db", "--html", "report.html")
        page = self.read("report.html")
        self.assertRegex(page, r'"device":"two cpu:0".*"set_aside":"its calibration takes .* us, the median of 3 devices')
        self.assertRegex(result.stdout, r"(?m)^two cpu:0 .*set aside: its calibration takes .* us, the median of 3 devices")
        self.check_table()

    def test_the_head_is_killed(self):
        self.hosts()
        with self.running(*self.arguments(0.7)) as process:
            self.wait_for_finished(process, 2)
            process.kill()
            process.wait()
        before = self.finished()
        result = self.succeed(*self.arguments(0.7))
        self.assertIn("going on with the run", result.stderr)
        self.assertLess(before, len(list((self.folder / "fleet.fleet/shards").iterdir())))
        shards = len(list((self.folder / "fleet.fleet/shards").iterdir()))
        self.assertEqual([verdict for _, verdict in self.tries()], ["done"] * shards)
        self.check_complete()

    def test_ctrl_c_stops_the_hosts_and_the_command_goes_on(self):
        self.hosts()
        with self.running(*self.arguments(1)) as process:
            self.wait_for_finished(process, 2)
            process.send_signal(signal.SIGINT)
            output, log = process.communicate(timeout=90)
        self.assertEqual(process.returncode, 130, output + log)
        self.assertIn("the same command goes on there", output)
        left = subprocess.run(["pgrep", "-f", f"{self.shared}/work.*bin/gemmtune tune"], capture_output=True, text=True)
        self.assertEqual(left.stdout, "")
        self.succeed(*self.arguments(1))
        self.check_complete()

    def test_hostile_names(self):
        self.write("it's a $(list) `x`;.csv", self.read("list.csv"))
        text = f"ssh = [\"ssh\", \"-F\", \"{self.shared}/ssh_config\"]\n"
        folder = str(self.shared / "a 'b' \"c\" $(d) `e`; {} & \\f").replace("\\", "\\\\").replace("\"", "\\\"")
        text += f"[\"it's; $(one)\"]\naddress = \"{self.network.address('one')}\"\nfolder = \"{folder}\"\n"
        text += "environment = { FLEET_TEST_QUOTE = \"it's $HOME\" }\n"
        self.write("hosts.toml", text)
        self.succeed("tune", "-i", "it's a $(list) `x`;.csv", "-o", "it's {} {%} $(out).csv", "-o2", "it's a profile.csv",
                     "--hosts", "hosts.toml", *options(0))
        self.assertEqual({int(row["M"]) for row in self.rows("it's a profile.csv")}, {m for m, _, _ in SIZES})
        self.check_table("it's {} {%} $(out).csv")

    def test_a_benchmark(self):
        self.hosts()
        result = self.succeed("bench", "-i", "list.csv", "-o", "bench.csv", "--hosts", "hosts.toml", *options(0))
        rows = self.rows("bench.csv")
        self.assertEqual([(int(row["M"]), int(row["N"]), int(row["K"])) for row in rows], SIZES)
        self.assertTrue(all(float(row["steady_us"]) > 0 for row in rows), rows)
        self.assertRegex(result.stdout, r"(?m)^one cpu:0 ")

    def test_status_of_the_hosts_and_a_second_head(self):
        self.hosts()
        self.addCleanup(self.network.connect, "three")
        with self.running(*self.arguments(4)) as process:
            self.wait_for_finished(process, 1)
            second = self.fail_with(5, *self.arguments(4))
            self.network.cut_off("three")
            status = self.status_while_one_measures(process)
            self.network.connect("three")
            process.communicate(timeout=120)
        self.assertIn("another process runs this already", second.stderr)
        self.assertRegex(status, r"(?m)^  \w+/\d+: running, \d of \d shapes")
        self.assertRegex(status, r"(?m)^    trials.db, \d+ bytes, 20\d\d-")
        self.assertRegex(status, r"(?m)^three: not reachable")

    def status_while_one_measures(self, process):
        """Between two shards no job runs, so that the question may have to be asked again."""
        while process.poll() is None:
            status = self.fail_with(1, "status", "--hosts", "hosts.toml").stdout
            if re.search(r"(?m)^one: 1 of \d+ jobs run, \d+ MB of disk free", status):
                return status
        self.fail("no status says that a job runs: " + status)

    def test_a_container_is_run_as_the_template_says(self):
        engine = self.folder / "docker"
        engine.write_text("#!/bin/sh\n[ $1 = ps ] && exit\nprintf '%s\\n' \"$@\" >>" + str(self.folder / "words") + "\n"
                          "while [ \"$1\" != some/image:1 ]; do shift; done\nshift\nexec \"$@\"\n")
        engine.chmod(0o755)
        common = f"container_engine = \"{engine}\"\narch = \"\"\n"
        self.hosts(names=("one",), common=common)
        self.succeed("tune", "-i", "list.csv", "-o", "fleet.csv", "--hosts", "hosts.toml", "--container", "some/image:1",
                     *options(0))
        self.check_table()
        words = self.read("words").splitlines()
        self.assertIn(f"{self.shared}/work one's:{self.shared}/work one's", words)
        self.assertIn("--shm-size", words)

    def test_a_dry_run_says_the_exact_commands(self):
        self.hosts(names=("one",), common="arch = \"gfx950\"\ncontainer_engine = \"docker\"\n")
        result = self.succeed(*self.arguments(0), "--container", "rocm/x:1", "--dry_run")
        self.assertRegex(result.stdout, r"\[one\] ssh -F \S+ -T .* -- \S+ 'sh \.cache/gemmtune/agents/\S+ put-and-start 0'")
        self.assertRegex(result.stdout, r"\[one\] docker run --rm .*--device /dev/kfd --device /dev/dri .* rocm/x:1 ")
        self.assertNotIn("GEMMTUNE_DRY_RUN", result.stdout)
        self.assertFalse((self.folder / "fleet.fleet").exists())
        self.write("mine.sh", "echo mine \"$container\"\n")
        own = self.succeed(*self.arguments(0), "--container", "rocm/x:1", "--dry_run", "--container_template", "mine.sh")
        self.assertIn("[one] mine rocm/x:1", own.stdout)


if __name__ == "__main__":
    if why := network.why_not():
        print(f"skipped: {why}")
        sys.exit(77)
    main()
