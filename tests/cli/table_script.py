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


    def test_tables_of_two_families(self):
        header = "gfx,cu_num,B,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
        self.write("bf16_tuned_batched_gemm.csv", header + "gfx942,304,16,1,64,64,78,0,9,a,1,1,0.0\n")
        self.write("a8w8_tuned_batched_gemm.csv", header + "gfx942,304,16,1,64,64,28,0,5,b,1,1,0.0\n")
        result = self.fail_with(3, "table", "merge", "bf16_tuned_batched_gemm.csv", "a8w8_tuned_batched_gemm.csv", "-o", "m.csv")
        self.assertIn("is a table of batched_a16w16", result.stderr)
        self.assertFalse((self.folder / "m.csv").exists())

    def test_an_empty_table_of_several_is_left_out(self):
        self.write("empty.csv", "")
        result = self.succeed("table", "merge", "a.csv:empty.csv", "b.csv")
        self.assertEqual(result.stdout, self.merged)
        self.assertIn("empty.csv: the file is empty, and is left out\n", result.stderr)


class Dedupe(CommandTest):
    def test_leaves_the_rest_as_it_is(self):
        self.write("t.csv", "M,N,K,us\n2,8,8, 5\n1,8,8,1\n2.0,8,8,6\n")
        self.assertEqual(self.succeed("table", "dedupe", "t.csv").stdout, "M,N,K,us\n2,8,8, 5\n1,8,8,1\n")
        self.assertIn("expected one table", self.fail_with(2, "table", "dedupe", "t.csv:t.csv").stderr)


class Diff(CommandTest):
    HEADER = "cu_num,M,N,K,us,kernelName\n"

    def setUp(self):
        super().setUp()
        self.write("a.csv", self.HEADER + "256,1,8,8,5,x\n256,2,8,8,4,x\n256,3,8,8,4,x\n")
        self.write("b.csv", self.HEADER + "256,4,8,8,5,x\n256,3,8,8,4.1,x\n256,2,8,8,2,y\n")

    def test_names_what_changed(self):
        text = self.fail_with(1, "table", "diff", "a.csv", "b.csv").stdout
        key = "gfx=gfx950,cu_num=256,M={},N=8,K=8"
        self.assertEqual(text, f"- {key.format(1)} (a.csv:2)\n"
                               f"+ {key.format(4)} (b.csv:2)\n"
                               f"! {key.format(2)}: kernelName=x -> kernelName=y; us 4.0 -> 2.0, times 0.500\n"
                               f"~ {key.format(3)}: us 4.0 -> 4.1, times 1.025\n"
                               "1 only before, 1 only after, 1 other kernels, 1 other times, 0 the same\n")

    def test_json_and_tolerance(self):
        text = self.fail_with(1, "table", "diff", "a.csv", "b.csv", "--json", "--tolerance", "3").stdout
        report = json.loads(text)
        self.assertEqual([len(report[name]) for name in ("only_before", "only_after", "choices", "times")], [1, 1, 1, 0])
        self.assertEqual(report["same"], 1)
        self.assertEqual(report["choices"][0]["ratio"], 0.5)

    def test_a_table_and_itself(self):
        self.assertIn("3 the same", self.succeed("table", "diff", "a.csv", "a.csv").stdout)
        self.fail_with(2, "table", "diff", "a.csv:b.csv", "a.csv")


class Filter(CommandTest):
    def test_conditions(self):
        header = "cu_num,M,N,K,libtype,us,kernelName\n"
        rows = ["256,1,8,8,ck,1,ck_a\n", "80,20,8,8,asm,2,asm_a\n", "256,300,16,8,asm,0,asm_b\n"]
        self.write("t.csv", header + "".join(rows))
        for conditions, kept in ((["--m", "1:16,300"], [0, 2]), (["--gfx", "gfx942"], [1]), (["--kernel", "asm*"], [1, 2]),
                                 (["--libtype", "asm", "--tuned-only"], [1]), (["--cu-num", "256", "--n", "16"], [2]),
                                 (["--k", "9:"], [])):
            text = self.succeed("table", "filter", "t.csv", *conditions).stdout
            self.assertEqual(text, header + "".join(rows[i] for i in kept), conditions)
        self.assertIn("expected a whole number or a range", self.fail_with(2, "table", "filter", "t.csv", "--m", "x").stderr)

    def test_a_column_that_is_not_there(self):
        self.write("t.csv", "M,N,K\n1,8,8\n")
        self.assertIn("has no column libtype", self.fail_with(3, "table", "filter", "t.csv", "--libtype", "ck").stderr)


class Convert(CommandTest):
    SEED = "cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n256,1,512,4096,21,0,5.4,k,0.78,194.57,0.0\n"
    TODAY = "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\ngfx950,256,1,512,4096,21,0,5.4,k,0.78,194.57,0.0\n"

    def test_between_generations(self):
        self.write("seed_a4w4.csv", self.SEED)
        result = self.succeed("table", "convert", "--schema", "today", "seed_a4w4.csv", "-o", "today.csv")
        self.assertEqual(self.read("today.csv"), self.TODAY)
        self.assertIn("is read as a table of a4w4", result.stderr)
        text = self.succeed("table", "convert", "--schema", "seed", "today.csv", "--format", "a4w4").stdout
        self.assertEqual(text, self.SEED)

    def test_names_that_are_none(self):
        self.write("t.csv", self.SEED)
        self.assertIn("--schema", self.fail_with(2, "table", "convert", "--schema", "old", "t.csv").stderr)
        self.assertIn("--format", self.fail_with(2, "table", "convert", "--schema", "seed", "--format", "b2", "t.csv").stderr)

    def test_a_device_that_would_be_lost(self):
        self.write("t.csv", self.TODAY.replace("gfx950", "gfx1250"))
        self.assertIn("t.csv:2:1: found gfx gfx1250", self.fail_with(3, "table", "convert", "--schema", "seed", "t.csv").stderr)


if __name__ == "__main__":
    main()
