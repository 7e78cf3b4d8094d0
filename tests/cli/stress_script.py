#!/usr/bin/env python3
"""gemmtune stress, end to end, on families of CPUs."""
from harness import CommandTest, main

PROBLEM = "16x32x64:f32:f32:f32"


class Stress(CommandTest):
    def row(self, text, family):
        return next(line.split()[1:] for line in text.splitlines() if line.startswith(family))

    def test_each_family_has_a_row_and_each_candidate_all_its_launches(self):
        common = ("stress", "--device", "cpu", "--problem", PROBLEM, "--families", "cpu_tile,cpu_reference", "--launches", "9", "--seeds", "2")
        for options in ((), ("--in-process",)):
            text = self.succeed(*common, *options).stdout
            self.assertEqual(self.row(text, "cpu_reference"), ["1", "1", "18", "0", "0", "0"])
            candidates, stressed, launches, refused, _, failed = self.row(text, "cpu_tile")
            self.assertEqual((stressed, launches, refused, failed), (candidates, str(18 * int(candidates)), "0", "0"))

    def test_candidates_are_chosen_by_name(self):
        self.assertIn("no candidate", self.fail_with(2, "stress", "--device", "cpu", "--problem", PROBLEM, "--candidate", "none").stderr)

    def test_a_budget_ends_the_work(self):
        text = self.succeed("stress", "--device", "cpu", "--problem", PROBLEM, "--families", "cpu_reference", "--launches", "9", "--seeds", "100000000", "--budget", "1s").stdout
        self.assertEqual(self.row(text, "cpu_reference")[-3:], ["0", "0", "0"])
        self.assertGreater(int(self.row(text, "cpu_reference")[2]), 0)

    def test_what_makes_no_sense(self):
        self.assertIn("expected a duration", self.fail_with(2, "stress", "--device", "cpu", "--budget", "soon").stderr)
        self.fail_with(3, "stress", "--device", "cpu", "--problem", "16 by 32")


if __name__ == "__main__":
    main()
