#!/usr/bin/env python3
"""No shard is measured twice, wherever a process of the head or of a host is killed, delayed or cut off."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from harness import PROGRAM, kill, main
from without_ssh import SIZES, WithoutSsh


class Resuming(WithoutSsh):
    # What the head's folder looks like after a kill between two steps. Each step is one file or one rename.

    def edit_log(self, shard, **changes):
        path = self.folder / f"fleet.fleet/shards/{shard}/attempts.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    def complete(self):
        """All shards are done, and the run is not dropped on the host: this comes after the last one is finished."""
        self.hosts(("one",))
        self.harm('[ "$verb" = drop-run ] && exit 0')
        self.succeed(*self.arguments(0))
        self.harm("")
        self.write("asked", "")

    def test_killed_before_the_shard_is_marked_as_finished(self):
        self.complete()
        for shard in (0, 2):
            (self.folder / f"fleet.fleet/finished/{shard}").unlink()
        result = self.succeed(*self.arguments(0))
        self.assertEqual(self.asked("put-and-start"), 0)
        self.assertNotIn("shards are left", result.stdout)
        self.check()

    def test_killed_before_the_record_says_what_came_back(self):
        self.complete()
        (self.folder / "fleet.fleet/finished/1").unlink()
        self.edit_log(1, state=0, tries=[], host="one", device="cpu:0")
        self.succeed(*self.arguments(0))
        self.assertEqual(self.asked("put-and-start"), 0)
        self.check()

    def test_killed_before_the_record_says_what_a_failed_try_left(self):
        self.complete()
        shard = self.folder / "fleet.fleet/shards/1"
        (self.folder / "fleet.fleet/finished/1").unlink()
        (shard / "back").rename(shard / "try-1")
        (shard / "try-1/exit").unlink()
        self.edit_log(1, state=0, tries=[], host="one", device="cpu:0")
        self.succeed(*self.arguments(0))
        self.assertEqual([entry["store"] for entry in self.logs()[1]["tries"]], ["try-1/trials.db", ""])
        self.assertEqual(sorted(self.trials("fleet.trials.db")), sorted(self.trials(self.shared / "one.trials.db")))

    def test_killed_while_a_shard_is_being_doubted(self):
        self.complete()
        self.edit_log(0, state=0, is_fresh=True)
        self.edit_log(2, state=0, is_fresh=True)
        shutil.rmtree(self.folder / "fleet.fleet/shards/2/back")
        self.succeed(*self.arguments(0))
        self.assertEqual(self.asked("put-and-start"), 2)
        self.assertEqual([len(log["tries"]) for _, log in sorted(self.logs().items())], [2, 1, 2])

    # The way to the host

    def test_the_answer_to_the_first_request_is_lost(self):
        self.hosts()
        self.harm('[ "$verb" = put-and-start ] && [ "$times" -le 2 ] && { sh -c "$command"; exit 255; }')
        self.succeed(*self.arguments())
        self.check()

    def test_only_a_part_of_the_inputs_arrives(self):
        self.hosts()
        self.harm('[ "$verb" = put-and-start ] && [ "$times" -le 2 ] && { head -c 2048 | sh -c "$command"; exit 255; }')
        self.succeed(*self.arguments())
        self.check()

    def test_a_request_arrives_after_the_head_decided_otherwise(self):
        self.hosts()
        self.harm('[ "$verb" = put-and-start ] && [ "$times" -le 2 ] && '
                  '{ cat >"$HOME/late.$address"; '
                  'until [ $(grep -c "agent.sh put-and-start" "$HOME/asked") -ge 4 ]; do sleep 0.1; done; '
                  'sh -c "$command" <"$HOME/late.$address" ; echo came >>"$HOME/came_late"; exit; }')
        with self.running(*self.arguments()) as process:
            self.wait_until(lambda: self.asked("put-and-start") == 2, "two shards are sent")
            self.wait_until(lambda: len(list(self.folder.glob("late.*"))) == 2, "two shards are on their way")
            time.sleep(0.5)
            self.kill_head_and_attempts(process)
        self.succeed(*self.arguments())
        late = self.folder / "came_late"
        self.wait_until(lambda: late.exists() and len(late.read_text().splitlines()) == 2, "both late requests came")
        self.wait_until(lambda: not self.processes("bin/gemmtune tune"), "nothing runs any more")
        self.check()

    # What a request does that only looks at the shard of the command: it holds its lock for a moment.
    LOOKS = ('{ run=${command%-*/agent.sh*}; run=${run##*/}; set -- ${command##*"$verb"}; '
             'locks=/tmp/gemmtune-locks-$(id -u)/$(printf %s "$HOME/hosts/$address" | cksum | tr " " -); '
             'mkdir -p "$locks"; flock "$locks/$run-$1" sleep 1 & sleep 0.3; }')

    def test_another_request_looks_at_the_shard(self):
        self.hosts()
        self.harm(f'[ "$verb" = put-and-start ] && [ "$times" -le 2 ] && {self.LOOKS}')
        self.succeed(*self.arguments(0))
        self.check()

    def test_another_request_looks_at_the_shard_while_the_head_asks_what_became_of_it(self):
        self.hosts()
        self.harm('[ "$verb" = put-and-start ] && [ "$times" -le 2 ] && exec sleep 20; '
                  f'[ "$verb" = fence ] && [ "$times" -le 2 ] && {self.LOOKS}')
        with self.running(*self.arguments(0)) as process:
            self.wait_until(lambda: self.asked("put-and-start") == 2, "two shards are sent")
            self.kill_head_and_attempts(process)
        self.succeed(*self.arguments(0))
        self.assertGreaterEqual(self.asked("fence"), 2)
        self.check()

    def test_the_host_does_not_answer_at_once_after_the_head_is_killed(self):
        self.hosts()
        self.harm('[ "$verb" = fence ] && [ "$times" -le 2 ] && exit 255')
        with self.running(*self.arguments(2)) as process:
            self.wait_until(lambda: self.asked("wait") == 2, "two shards run")
            self.kill_head_and_attempts(process)
        self.succeed(*self.arguments(2))
        self.check()

    # On the host

    def test_a_job_begins_slowly(self):
        slow = self.folder / "bin"
        slow.mkdir()
        (slow / "setsid").write_text(f"#!/bin/sh\nsleep 3\nexec {shutil.which('setsid')} \"$@\"\n")
        (slow / "setsid").chmod(0o755)
        self.hosts(more=f", PATH = \"{slow}:{os.environ['PATH']}\"")
        self.succeed(*self.arguments(0))
        self.check()

    def test_the_script_of_a_job_is_killed_and_its_program_is_not(self):
        self.hosts()
        with self.running(*self.arguments(3)) as process:
            self.wait_until(lambda: self.measured_now() >= 2, "two shapes are being measured")
            self.assertTrue(any(map(kill, self.processes("agent.sh job"))), "one of them is killed")
            output, log = process.communicate(timeout=90)
        self.assertEqual(process.returncode, 0, output + log)
        self.assertEqual(self.read("fleet.csv"), (self.shared / "one.csv").read_text())
        ends = [line.split(maxsplit=3)[3] for line in self.read("measured").splitlines() if line.startswith("end")]
        self.assertEqual(sorted(ends), sorted(set(ends)))  # what was cut off was begun twice, and ended once

    def measured_now(self):
        return sum(self.measured().values()) if (self.folder / "measured").exists() else 0

    def test_two_runs_do_not_measure_side_by_side_on_one_device(self):
        self.hosts(("one",))
        with self.running(*self.arguments(0.5, output="other.csv")) as process:
            self.wait_until(lambda: self.measured_now() >= 1, "the other run measures")
            self.succeed(*self.arguments(0.5))
            process.communicate(timeout=60)
        turns = self.turns()
        self.assertEqual(len(turns), 2 * len(SIZES))
        for (_, end), (begin, _) in zip(turns, turns[1:]):
            self.assertLessEqual(end, begin + 0.01)

    def test_ctrl_c_ends_a_long_measurement_at_once(self):
        self.hosts(("one",))
        with self.running(*self.arguments(60)) as process:
            self.wait_until(lambda: self.measured_now() >= 1, "a shape is being measured")
            start = time.monotonic()
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=40)
        self.assertLess(time.monotonic() - start, 30)  # of the 60 that it takes
        self.assertEqual(self.processes("bin/gemmtune tune"), [])

    # The program's bundle

    def test_the_program_is_not_copied_on_the_head(self):
        self.hosts()
        self.succeed(*self.arguments(0))
        made = list((self.folder / ".cache/gemmtune/bundles").iterdir())
        self.assertEqual(len(made), 2)  # the program, and what is shipped
        files = [path for path in self.folder.glob(".cache/gemmtune/bundles/*/**/*") if path.is_file()]
        self.assertEqual({path.name for path in files if not path.is_symlink()}, {"MANIFEST"})
        self.assertEqual(list((self.folder / "fleet.fleet").glob("**/gemmtune")), [])
        self.succeed(*self.arguments(0, output="other.csv"))
        self.assertEqual(sorted((self.folder / ".cache/gemmtune/bundles").iterdir()), sorted(made))

    def test_killed_while_the_program_is_hashed(self):
        (self.folder / "bin").mkdir()
        (self.folder / "bin/sha256sum").write_text(
            f"#!/bin/sh\nif [ ! -f {self.folder}/killed ]; then\n  touch {self.folder}/killed\n"
            f"  until [ -s {self.folder}/head ]; do sleep 0.05; done\n  kill -9 $(cat {self.folder}/head)\n  sleep 1\nfi\n"
            f"exec {shutil.which('sha256sum')} \"$@\"\n")
        (self.folder / "bin/sha256sum").chmod(0o755)
        self.hosts()
        with unittest.mock.patch.dict(os.environ, PATH=f"{self.folder}/bin:{os.environ['PATH']}"):
            with self.running(*self.arguments(0)) as process:
                self.write("head.part", str(process.pid))
                (self.folder / "head.part").rename(self.folder / "head")
                process.communicate(timeout=60)
            self.assertEqual(process.returncode, -signal.SIGKILL)
            self.succeed(*self.arguments(0))
        self.check()

    # The head

    def test_killed_during_the_calibration(self):
        self.hosts()
        with self.running(*self.arguments(5, calibration_pct=10)) as process:
            self.wait_until(lambda: self.measured_now() >= 2, "both devices are being calibrated")
            self.kill_head_and_attempts(process)
        result = self.succeed(*self.arguments(5, calibration_pct=10))
        self.assertNotIn("set aside", result.stdout)
        self.check(most=1 + 4)  # the calibrations' shape

    def test_killed_and_nobody_waits_for_its_process(self):
        self.hosts()
        process = subprocess.Popen([PROGRAM, *self.arguments(1)], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.wait_for_finished(process, 1)
        process.kill()
        self.succeed(*self.arguments(1))
        self.check()

    def test_another_run_in_the_same_folder_stops_the_first(self):
        self.hosts()
        with self.running(*self.arguments(2)) as process:
            self.wait_for_finished(process, 1)
            self.wait_until(lambda: len(self.processes("bin/gemmtune tune")) >= 2, "two shards run")
            self.kill_head_and_attempts(process)
        done = self.finished()
        before = sum(self.measured().values())
        result = self.succeed(*self.arguments(0.1))
        self.assertIn("was not done: its jobs are stopped", result.stderr)
        self.assertEqual(self.read("fleet.csv"), (self.shared / "one.csv").read_text())
        turns = self.turns()
        self.assertGreaterEqual(done, 1)
        self.assertGreaterEqual(sum(self.measured().values()) - before, len(SIZES) - done)
        for (_, end), (begin, _) in zip(turns[done:], turns[done + 2:]):  # two devices
            self.assertLessEqual(end, begin + 0.01)

    def test_killed_while_hosts_drop_the_run_that_is_replaced(self):
        self.hosts()
        with self.running(*self.arguments(2)) as process:
            self.wait_for_finished(process, 1)
            self.kill_head_and_attempts(process)
        self.harm('[ "$verb" = drop-run ] && { sh -c "$command"; kill -9 $(cat "$HOME/head"); exit; }')
        with self.running(*self.arguments(0.1)) as process:
            self.write("head", str(process.pid))
            process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.harm("")
        self.succeed(*self.arguments(2))
        self.assertEqual(self.read("fleet.csv"), (self.shared / "one.csv").read_text())


if __name__ == "__main__":
    main()
