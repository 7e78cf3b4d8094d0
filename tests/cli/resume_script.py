#!/usr/bin/env python3
"""Runs that are killed, interrupted, or meet another run: nothing is lost, nothing is measured twice."""
import signal

from harness import CommandTest, main, shape_list

SIZES = [(m, 64, 256) for m in range(16, 25)]
ARGUMENTS = ("tune", "-i", "bf16.csv", "-o", "out.csv", "--libtype", "cpu_reference", "--iters", "20")


class Resume(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("bf16.csv", shape_list(SIZES))

    def check_complete(self):
        self.assertEqual([int(row["M"]) for row in self.rows("out.csv")], [m for m, _, _ in SIZES])
        trials = self.trials("out.trials.db")
        self.assertEqual(len(trials), len(set(trials)), "a trial was made twice")

    def check_prefix(self, rows_before):
        """The rows that the first run wrote are in the final table, unchanged."""
        lines = self.read("out.csv").splitlines()
        for line in rows_before:
            self.assertIn(line, lines)

    def test_after_kill_9(self):
        for shapes in (1, 3):
            with self.running(*ARGUMENTS) as process:
                self.wait_for_shapes(process, shapes)
                process.kill()
                process.wait()
            before = self.read("out.csv").splitlines()
            trials = self.trials("out.trials.db")
            self.assertGreaterEqual(len(before), 2)
        self.succeed(*ARGUMENTS)
        self.check_prefix(before)
        self.assertEqual(self.trials("out.trials.db")[: len(trials)], trials)
        self.check_complete()

    def test_after_ctrl_c_and_sigterm(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.running(*ARGUMENTS) as process:
                self.wait_for_shapes(process, 2)
                process.send_signal(number)
                output, log = process.communicate(timeout=60)
            self.assertEqual(process.returncode, code, output + log)
            self.assertIn("stopping: finished shapes are being written", log)
            self.assertIn("the run was stopped", output)
            self.assertGreaterEqual(len(self.rows("out.csv")), 2)
        self.succeed(*ARGUMENTS)
        self.check_complete()

    def test_a_second_run_on_the_same_store_is_refused(self):
        with self.running(*ARGUMENTS) as process:
            self.wait_for_shapes(process, 1)
            result = self.fail_with(5, "tune", "-i", "bf16.csv", "-o", "other.csv", "--store", "out.trials.db")
            self.assertRegex(result.stderr, rf"the trials store out.trials.db is in use by .*{process.pid}")
            self.assertFalse((self.folder / "other.csv").exists())


if __name__ == "__main__":
    main()
