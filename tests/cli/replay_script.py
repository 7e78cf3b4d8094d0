#!/usr/bin/env python3
"""gemmtune replay, end to end: a store, a recording of it, and searches on both."""
import json

from harness import CommandTest, main, shape_list


class Replay(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("shapes.csv", shape_list([(16, 32, 32), (8, 32, 32)]))
        self.tune("-i", "shapes.csv", "-o", "tuned.csv", "--search", "exhaustive")

    def replay_json(self, *arguments):
        return json.loads(self.succeed("replay", *arguments, "--json", "--repeats", "2").stdout)

    def test_a_table_of_searches(self):
        text = self.succeed("replay", "--trials", "tuned.trials.db").stdout
        self.assertIn("2 shapes, 2 candidates, 20 repeats\n", text)
        for search in ("race", "screen", "exhaustive", "tunableop"):
            self.assertRegex(text, rf"(?m)^{search} +0\.00 % ")
        verbose = self.succeed("replay", "--trials", "tuned.trials.db", "-v", "--search", "race").stdout
        self.assertIn("16x32x32:f32:f32:f32 on ", verbose)

    def test_a_recording_stands_for_its_store(self):
        said = self.succeed("replay", "--trials", "tuned.trials.db", "--record", "r.csv.xz").stdout
        self.assertEqual(said, "2 shapes, 2 candidates written to r.csv.xz\n")
        replayed = self.replay_json("--trials", "r.csv.xz")
        self.assertEqual([s["search"] for s in replayed["searches"]], ["race", "screen", "exhaustive", "tunableop"])
        self.assertEqual(len(replayed["shapes"]), 2)
        self.assertEqual(replayed, self.replay_json("--trials", "r.csv.xz"))
        both = self.replay_json("--trials", "r.csv.xz", "tuned.trials.db", "--search", "race")
        self.assertEqual(len(both["shapes"]), 4)

    def test_what_cannot_be_replayed(self):
        self.fail_with(2, "replay")
        self.fail_with(3, "replay", "--trials", "none.csv.xz")
        self.assertIn("expected some of race, screen",
                      self.fail_with(2, "replay", "--trials", "tuned.trials.db", "--search", "luck").stderr)
        self.write("bad.csv.xz", "not compressed")
        self.assertIn("bad.csv.xz is no .xz file", self.fail_with(3, "replay", "--trials", "bad.csv.xz").stderr)
        self.assertIn("no column device_kind", self.fail_with(3, "replay", "--trials", "shapes.csv").stderr)


if __name__ == "__main__":
    main()
