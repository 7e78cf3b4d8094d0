#!/usr/bin/env python3
"""gemmtune diagnose: known errors in logs."""
import json
import subprocess

from harness import PROGRAM, CommandTest, main


class Diagnose(CommandTest):
    def test_cause_and_fix(self):
        self.write("tune.log", "begin\n" + "This GEMM is not supported!\n" * 5 + "KeyError: 'tile_m'\n")
        text = self.succeed("diagnose", "tune.log").stdout
        self.assertTrue(text.startswith("tune.log: 7 lines, 2 known errors\n\nkernel does not take this shape, 5 lines\n"
                                        "  2: This GEMM is not supported!\n"))
        self.assertIn("\n  and 2 more\n  cause  CK compiles kernels", text)
        self.assertIn("\n  fix    Take tuner and hsa folder from one version of AITER, or", text)
        self.assertLessEqual(max(len(line) for line in text.splitlines()), 100)

    def test_what_is_not_known(self):
        self.write("tune.log", "ValueError: something new\n")
        text = self.fail_with(1, "diagnose", "tune.log").stdout
        self.assertTrue(text.startswith("tune.log: 1 lines, 0 known errors, 1 unknown error\n"))
        self.assertIn("not known, 1 lines that look like errors\n  1: ValueError: something new\n", text)

    def test_json_and_standard_input(self):
        result = subprocess.run([PROGRAM, "diagnose", "-", "--json"], input=b"\xff Memory access fault by GPU node-1\n",
                                capture_output=True, check=True)
        [log] = json.loads(result.stdout)
        self.assertEqual(log["lines"], 1)
        self.assertEqual([f["error"] for f in log["findings"]], ["memory access fault"])
        self.assertEqual(log["findings"][0]["lines"][0]["line"], 1)

    def test_logs_that_are_not_there(self):
        self.fail_with(3, "diagnose", "none.log")
        self.fail_with(2, "diagnose")


if __name__ == "__main__":
    main()
