#!/usr/bin/env python3
"""gemmtune table: commands on tables of AITER's kinds."""
import json

from harness import CommandTest, main

TABLE = """cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio
256,1,512,4096,ck,21,0,5.4,ck_a,0.78,194.57,0.0
256,2,512,4096,asm,22,0,0,asm_a,0,0,0.2
256,two,512,4096,asm,22,0,3,asm_a,0,0,0.0
"""


class Stats(CommandTest):
    def test_counts(self):
        self.write("t.csv", TABLE)
        result = self.succeed("table", "stats", "t.csv:t.csv", "--json")
        first, second = json.loads(result.stdout)
        self.assertEqual(first, second)
        self.assertEqual(first["kind"], "gemm")
        self.assertEqual([first[name] for name in ("rows", "keys", "timed", "layers")], [2, 2, 1, 1])
        self.assertEqual([first[name] for name in ("err_ratio_above_limit", "unusable_lines", "m")], [1, 1, [1, 2]])
        self.assertEqual(first["devices"], {"gfx950/256": 2})
        self.assertIn("t.csv:4:5: M: found 'two', expected a whole number above 0; the line is kept\n", result.stderr)

    def test_needs_a_table_that_is_there(self):
        self.fail_with(2, "table", "stats")
        self.assertIn("none.csv: No such file", self.fail_with(3, "table", "stats", "none.csv").stderr)

    def test_the_group_shows_its_page(self):
        self.assertEqual(self.fail_with(2, "table").stdout, self.succeed("table", "--help").stdout)


class Merge(CommandTest):
    HEADER = "cu_num,M,N,K,us,kernelName\n"

    def setUp(self):
        super().setUp()
        self.write("a.csv", self.HEADER + "256,2,8,8,5,slow\n256,1,8,8,1,only\n")
        self.write("b.csv", self.HEADER + "256,2,8,8,4,fast\r\n")
        self.merged = self.HEADER + "256,1,8,8,1,only\n256,2,8,8,4,fast\n"

    def test_several_tables_become_one(self):
        for inputs in (["a.csv", "b.csv"], ["b.csv:a.csv"], ["a.csv:b.csv", "a.csv"]):
            self.assertEqual(self.succeed("table", "merge", *inputs).stdout, self.merged)
        result = self.succeed("table", "merge", "a.csv", "b.csv", "-o", "c.csv", "--verbose")
        self.assertEqual(self.read("c.csv"), self.merged)
        self.assertEqual(result.stderr, "gfx=gfx950,cu_num=256,M=2,N=8,K=8: b.csv:2 (4.0 us) instead of a.csv:2 (5.0 us)\n"
                                        "3 rows of 2 files, 1 duplicates (0 of them copies), 2 rows written\n")
        self.assertEqual(result.stdout, "")

    def test_policies(self):
        text = self.succeed("table", "merge", "a.csv", "b.csv", "--policy", "first").stdout
        self.assertEqual(text, self.HEADER + "256,1,8,8,1,only\n256,2,8,8,5,slow\n")
        result = self.fail_with(3, "table", "merge", "a.csv", "b.csv", "--policy", "error", "-o", "c.csv")
        self.assertIn("a.csv:2", result.stderr)
        self.assertFalse((self.folder / "c.csv").exists())
        self.assertIn("--policy: found 'best'", self.fail_with(2, "table", "merge", "a.csv", "--policy", "best").stderr)

    def test_inputs_are_never_written(self):
        before = self.read("a.csv")
        self.assertIn("one of the inputs", self.fail_with(2, "table", "merge", "a.csv", "b.csv", "-o", "./a.csv").stderr)
        self.assertEqual(self.read("a.csv"), before)

    def test_json(self):
        report = json.loads(self.succeed("table", "merge", "a.csv", "b.csv", "-o", "c.csv", "--json").stdout)
        self.assertEqual([report[name] for name in ("files", "rows_read", "rows_written")], [2, 3, 2])
        self.assertEqual(report["duplicates"], [{"key": "gfx=gfx950,cu_num=256,M=2,N=8,K=8", "kept": "b.csv:2",
                                                 "dropped": "a.csv:2", "kept_us": 4.0, "dropped_us": 5.0, "copy": False}])
        self.fail_with(2, "table", "merge", "a.csv", "--json")

    def test_tables_of_two_kinds(self):
        self.write("moe.csv", "token,model_dim,us\n")
        self.assertIn("cannot be merged", self.fail_with(3, "table", "merge", "a.csv", "moe.csv").stderr)


class Dedupe(CommandTest):
    def test_leaves_the_rest_as_it_is(self):
        self.write("t.csv", "M,N,K,us\n2,8,8, 5\n1,8,8,1\n2.0,8,8,6\n")
        self.assertEqual(self.succeed("table", "dedupe", "t.csv").stdout, "M,N,K,us\n2,8,8, 5\n1,8,8,1\n")
        self.assertIn("expected one table", self.fail_with(2, "table", "dedupe", "t.csv:t.csv").stderr)


if __name__ == "__main__":
    main()
