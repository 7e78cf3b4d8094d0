#!/usr/bin/env python3
"""A budget that ends in the middle of a shard: what is finished counts, and the same command goes on there."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from harness import main
from without_ssh import WithoutSsh


class Budget(WithoutSsh):
    def test_the_budget_ends_in_the_middle_of_a_shard(self):
        go_on = self.folder / "go on"
        self.hosts(("one",), more=f", FLEET_TEST_FAULT = \"hold_others:{go_on}\"")
        result = self.fail_with(1, *self.arguments(0), "--budget", "40s")
        self.assertRegex(result.stdout, r"(?m)^1 tuned, 0 failed, 0 skipped, 3 not reached$")
        self.assertRegex(result.stdout, r"the budget of 40s is spent: 3 shards are left; the same command goes on there")
        first = self.rows("fleet.csv")
        self.assertEqual(len(first), 1, "what is finished of the shard is in the table")
        self.assertEqual([entry["verdict"] for log in self.logs().values() for entry in log["tries"]], ["stopped"])
        self.assertEqual(self.finished(), 0)
        status = self.succeed("status", "fleet.trials.db").stdout
        self.assertIn("stopped", status)
        go_on.touch()
        again = self.succeed(*self.arguments(0), "--budget", "10m")
        self.assertIn("going on with the run", again.stderr)
        self.assertRegex(again.stdout, r"(?m)^3 tuned, 0 failed, 1 skipped$")
        self.assertEqual(self.read("fleet.csv"), (self.shared / "one.csv").read_text())
        self.assertEqual(sorted(self.trials("fleet.trials.db")), sorted(self.trials(self.shared / "one.trials.db")))

    def test_a_candidate_crashes_in_the_shard_that_the_budget_ends(self):
        go_on = self.folder / "go on"
        self.hosts(("one",), more=f", FLEET_TEST_FAULT = \"hold_others:{go_on}:python_index\"")
        self.fail_with(1, *self.arguments(0), "--budget", "40s")
        self.assertEqual([entry["verdict"] for log in self.logs().values() for entry in log["tries"]], ["stopped"])
        self.assertEqual([row["kernelName"] for row in self.rows("fleet.csv")].count("python_index"), 0)
        self.assertEqual(len(self.rows("fleet.csv")), 1)


if __name__ == "__main__":
    main()
