#!/usr/bin/env python3
"""The quarantine of a store and its check, with the real program."""
import json
import sqlite3

from harness import CommandTest, main, shape_list

SHAPES = shape_list([(4, 8, 16), (5, 8, 16)])


class QuarantineTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("untuned.csv", SHAPES)
        self.tune("-i", "untuned.csv", "-o", "tuned.csv", "--store", "store.db")

    def change(self, *statements):
        with sqlite3.connect(self.folder / "store.db") as database:
            for statement in statements:
                database.execute(statement)
        database.close()

    def quarantine_all(self):
        """As after a crash of each candidate."""
        self.change("UPDATE trials SET outcome = 'crashed', reason = 'killed by signal 11 (SIGSEGV)'",
                    "INSERT INTO quarantine (time_utc, device, problem_id, candidate_id, outcome, reason, reproducer)"
                    " SELECT DISTINCT '2026-01-01T00:00:00Z', devices.name || ' (' || arch || ')', problem_id,"
                    " candidate_id, outcome, reason, 'gemmtune evaluate' FROM trials JOIN devices ON"
                    " devices.id = device_id")

    def listed(self):
        return json.loads(self.succeed("quarantine", "list", "--store", "store.db", "--json").stdout)

    def test_nothing(self):
        self.assertEqual(self.listed(), [])
        self.assertIn("nothing is quarantined", self.succeed("quarantine", "list", "--store", "store.db").stdout)
        self.assertIn("0 lifted", self.succeed("quarantine", "lift", "--store", "store.db").stdout)

    def test_held_back_until_it_is_lifted(self):
        self.quarantine_all()
        entries = self.listed()
        self.assertEqual(len(entries), 2)
        self.assertEqual(entries[0]["reason"], "killed by signal 11 (SIGSEGV)")
        arguments = ["tune", "--libtype", "cpu_reference", "-i", "untuned.csv", "-o", "tuned.csv", "--store", "store.db",
                     "--all", "--fresh"]
        held = self.fail_with(1, *arguments)
        self.assertIn("quarantined: 2 candidates on these shapes", held.stdout)
        self.assertIn("gemmtune quarantine lift --store store.db", held.stdout)
        self.fail_with(3, "quarantine", "lift", "no_such_kernel", "--store", "store.db")
        self.assertEqual(len(self.listed()), 2)
        lifted = self.succeed("quarantine", "lift", entries[0]["kernel"], "--store", "store.db")
        self.assertIn("2 lifted", lifted.stdout)
        self.assertEqual(self.listed(), [])
        tuned = self.succeed(*arguments[:-1])
        self.assertIn("2 tuned", tuned.stdout)
        self.assertNotIn("quarantined", tuned.stdout)

    def test_a_file_that_is_not_there(self):
        self.fail_with(5, "quarantine", "lift", "--store", "no_such.db")
        self.assertFalse((self.folder / "no_such.db").exists())

    def test_damaged_rows(self):
        self.assertIn("sound", self.succeed("store", "check", "store.db").stdout)
        self.change("UPDATE trials SET samples_us = '[1,' WHERE id = 1")
        check = self.fail_with(1, "store", "check", "store.db")
        self.assertIn("row 1 of trials: it has samples that cannot be read: '[1,'", check.stdout)
        again = self.tune("-i", "untuned.csv", "-o", "tuned.csv", "--store", "store.db", "--all")
        self.assertIn("damaged: 1 row of the store cannot be read and was skipped", again.stdout)
        self.assertIn("row 1 of trials", again.stdout)
        analysis = self.succeed("analyze", ".")
        self.assertIn("row 1 of trials", analysis.stderr)
        self.change("UPDATE problems SET text = 'x' WHERE id = 1")
        self.assertIn("left out: 1 damaged row of the store", self.succeed("status", "store.db").stdout)
        self.write("text.db", "no store")
        self.fail_with(3, "store", "check", "text.db")


if __name__ == "__main__":
    main()
