#!/usr/bin/env python3
"""gemmtune status: how far runs are."""
import json
import signal

from harness import CommandTest, main, shape_list


class Status(CommandTest):
    def status(self, *arguments):
        return json.loads(self.succeed("status", "--json", *arguments).stdout)

    def test_without_any_run(self):
        self.assertIn("no runs are known on this machine", self.succeed("status").stdout)
        self.assertEqual(self.status(), [])
        self.write("x.csv", "M,N,K\n")
        self.assertIn("no trial store in x.csv", self.fail_with(3, "status", "x.csv").stderr)

    def test_a_run_that_is_done(self):
        self.write("list.csv", shape_list([(8, 16, 32), (16, 16, 32)]))
        self.tune("-i", "list.csv", "-o", "tuned.csv", "-o2", "profile.csv")
        [run] = self.status()
        self.assertEqual([run[name] for name in ("state", "shapes", "shapes_done", "shapes_failed")], ["done", 2, 2, 0])
        self.assertEqual([r["problem"] for r in run["results"]], ["8x16x32:f32:f32:f32", "16x16x32:f32:f32:f32"])
        self.assertTrue(all(r["winner"] and r["us"] > 0 for r in run["results"]))
        self.assertEqual([f["kind"] for f in run["files"]], ["table", "profile"])
        self.assertTrue(all(f["is_there"] and f["bytes"] > 0 and f["path"].startswith("/") for f in run["files"]))
        self.assertGreater(run["trials"]["ok"], 0)
        self.assertIn("[2/2]", run["last_lines"][-1]["text"])
        text = self.succeed("status").stdout
        for part in ("tuned.trials.db: done, 2 of 2 shapes", "trials: ", "[1/2]", "profile.csv, "):
            self.assertIn(part, text)

    def test_a_run_that_is_running_and_is_killed(self):
        self.write("list.csv", shape_list([(8 + i, 512, 512) for i in range(400)]))
        with self.running("tune", "--libtype", "cpu_reference", "-i", "list.csv", "-o", "tuned.csv") as process:
            self.wait_for_shapes(process, 1)
            [run] = self.status()
            while run["remaining_s"] is None and process.poll() is None:  # times are whole seconds: no rate at first
                [run] = self.status()
            self.assertEqual(run["state"], "running")
            self.assertEqual(run["shapes"], 400)
            self.assertGreaterEqual(run["shapes_done"], 1)
            self.assertGreater(run["remaining_s"], 0)
            process.send_signal(signal.SIGKILL)
            process.wait()
        self.assertEqual(self.status()[0]["state"], "killed")
        watched = self.succeed("status", ".", "--watch").stdout.splitlines()
        self.assertRegex(watched[0], r"^tuned.trials.db: killed, \d+ of 400 shapes in .*Z$|^.*/tuned.trials.db: killed, .*Z$")
        self.assertEqual(len(watched), 2)
        self.assertIn("nothing to watch", watched[1])

    def test_all_runs_of_a_store(self):
        self.write("list.csv", shape_list([(8, 16, 32)]))
        for _ in range(2):
            self.tune("-i", "list.csv", "-o", "tuned.csv", "--all")
        self.assertEqual([run["run"] for run in self.status(".")], [2])
        self.assertEqual([run["run"] for run in self.status("tuned.trials.db", "--all")], [1, 2])


if __name__ == "__main__":
    main()
