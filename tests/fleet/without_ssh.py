"""What tests have in common whose hosts are this machine, with a script in place of ssh.

It runs the command on this machine, and does harm where a test wants it."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from fleet_case import SHIPPED, FleetTest, tune_on_one_machine, worker
from harness import kill, shape_list

SIZES = [(m, 16, 32) for m in range(4, 8)]

# The words of ssh are: options, "--", the address, the command. `verb` is what the agent is asked, `times` counts how
# often it was asked so far.
SSH = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
address=$2
command=$3
verb=$(echo "$command" | sed 's/.*agent.sh \\([a-z-]*\\).*/\\1/')
echo "$address $command" >>"$HOME/asked"
times=$(grep -c "agent.sh $verb" "$HOME/asked")
cd
HARM
exec sh -c "$command"
"""


class WithoutSsh(FleetTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="gemmtune_resume_"))
        tune_on_one_machine(cls.shared, SIZES)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared, ignore_errors=True)

    def setUp(self):
        super().setUp()
        home = os.environ.get("HOME")
        self.addCleanup(os.environ.update, HOME=home)
        os.environ["HOME"] = str(self.folder)
        self.addCleanup(self.end_all)
        self.write("list.csv", shape_list(SIZES))
        self.harm("")

    def end_all(self):
        """Processes that a test has left."""
        deadline = time.monotonic() + 20
        while self.processes("") and time.monotonic() < deadline:
            for pid in self.processes(""):
                kill(pid)
            time.sleep(0.1)

    def processes(self, words):
        """Those whose command line has these words, and whose files are in the folder of this test."""
        found = subprocess.run(["pgrep", "-f", f"{self.folder}.*{words}"], capture_output=True, text=True).stdout
        return [int(pid) for pid in found.split()]

    def harm(self, script):
        (self.folder / "ssh").write_text(SSH.replace("HARM", script))
        (self.folder / "ssh").chmod(0o755)

    def hosts(self, names=("one", "two"), more=""):
        text = f"ssh = \"{self.folder}/ssh\"\ndevices = [\"cpu\"]\n" \
               f"environment = {{ FLEET_TEST_LOG = \"{self.folder}/measured\"{more} }}\n"
        for name in names:
            text += f"[{name}]\nfolder = \"{self.folder}/hosts/{name}\"\n"
        self.write("hosts.toml", text)

    def arguments(self, seconds=0.3, output="fleet.csv", calibration_pct=0):
        return ("tune", "-i", "list.csv", "-o", output, "--hosts", "hosts.toml", "--worker", worker(seconds),
                "--libtype", "steady", "--iters", "5", "--format", "a16w16", "--ship", SHIPPED[0], "--ship", SHIPPED[1],
                "--calibration_pct", str(calibration_pct), "--lost_after", "5s")

    def asked(self, verb):
        if not (self.folder / "asked").exists():
            return 0
        return sum(f"agent.sh {verb}" in line for line in self.read("asked").splitlines())

    def wait_until(self, is_so, what):
        deadline = time.monotonic() + 60
        while not is_so():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.02)

    def measured(self):
        """How often each shape was measured."""
        counts = {}
        for line in self.read("measured").splitlines():
            word, _, problem = line.split(maxsplit=2)
            if word == "begin":
                counts[problem] = counts.get(problem, 0) + 1
        return counts

    def turns(self):
        """When each measurement began and ended."""
        return sorted((float(words[1]), float(words[2])) for words in map(str.split, self.read("measured").splitlines())
                      if words[0] == "end")

    def logs(self):
        return {int(path.parent.name): json.loads(path.read_text())
                for path in (self.folder / "fleet.fleet/shards").glob("*/attempts.json")}

    def check(self, most=1):
        """The table of one machine, every shard done in one try, and no shape measured more often than this."""
        self.assertEqual(self.read("fleet.csv"), (self.shared / "one.csv").read_text())
        self.assertEqual(sorted(self.trials("fleet.trials.db")), sorted(self.trials(self.shared / "one.trials.db")))
        self.assertEqual([[entry["verdict"] for entry in log["tries"]] for log in self.logs().values()],
                         [["done"]] * len(self.logs()), self.logs())
        self.assertEqual({key: count for key, count in self.measured().items() if count > most}, {})

    def kill_head_and_attempts(self, process):
        process.kill()
        process.wait()
        for pid in self.processes("fleet.fleet [0-9]+ [0-9]+$"):
            kill(pid)
