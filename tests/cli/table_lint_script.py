#!/usr/bin/env python3
"""gemmtune table lint: findings as text and JSON, exit codes, choice of rules, and the clean copy."""
import json

from harness import CommandTest, main

HEADER = "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
GOOD = "gfx950,256,1,512,4096,21,0,5.4049,k,0.78,194.57,0.0\n"
PLACEHOLDER = "gfx950,256,2,512,4096,21,0,0,k,0,0,0.0\n"
STALE = "gfx950,256,4,512,4096,21,0,5.4049,k,0.78,196.28,0.0\n"


class Findings(CommandTest):
    def test_a_clean_table(self):
        self.write("a4w4.csv", HEADER + GOOD)
        self.assertEqual(self.succeed("table", "lint", "a4w4.csv").stdout, "0 errors\n0 warnings\n0 notes\n")

    def test_errors_fail(self):
        self.write("a4w4.csv", HEADER + GOOD + PLACEHOLDER)
        self.assertEqual(self.fail_with(1, "table", "lint", "a4w4.csv").stdout,
                         "a4w4.csv:3:28: error: no-time: us is '0': no measurement, so no lookup should serve it\n"
                         "1 error (no-time 1)\n0 warnings\n0 notes\n")
        self.succeed("table", "lint", "a4w4.csv", "--ignore", "no-time")

    def test_warnings_fail_when_strict(self):
        self.write("a4w4.csv", HEADER + STALE)
        self.assertIn("tflops is 0.78, but us and the sizes make it 3.10 (-74.9 %)",
                      self.succeed("table", "lint", "a4w4.csv").stdout)
        self.fail_with(1, "table", "lint", "a4w4.csv", "--strict")
        self.succeed("table", "lint", "a4w4.csv", "--strict", "--rule", "no-time,shadowed-row")

    def test_json(self):
        self.write("a4w4.csv", HEADER + PLACEHOLDER)
        findings = json.loads(self.fail_with(1, "table", "lint", "a4w4.csv", "--json").stdout)
        self.assertEqual(findings, [{"file": "a4w4.csv", "line": 2, "column": 28, "severity": "error", "rule": "no-time",
                                     "message": "us is '0': no measurement, so no lookup should serve it"}])

    def test_several_files_and_kinds(self):
        self.write("a4w4.csv", HEADER + GOOD)
        self.write("more_a4w4.csv", HEADER + GOOD)
        self.write("gfx950-GEMM-A8W8.json", '{"M_LEQ_7": {}}')
        result = self.fail_with(1, "table", "lint", "a4w4.csv:more_a4w4.csv", "gfx950-GEMM-A8W8.json", "--summary")
        self.assertEqual(result.stdout, "1 error (shadowed-across 1)\n"
                         "2 warnings (triton-dead-key 1, triton-unserved 1)\n0 notes\n")

    def test_what_cannot_be_read_is_a_finding(self):
        self.write("empty.csv", "")
        self.write("a4w4.csv", HEADER + PLACEHOLDER)
        output = self.fail_with(1, "table", "lint", "empty.csv", "none.csv", "a4w4.csv").stdout
        self.assertIn("empty.csv:1:1: error: unreadable: empty.csv:1:1: the file is empty", output)
        self.assertIn("none.csv:1:1: error: unreadable: none.csv: No such file", output)
        self.assertIn("no-time", output)

    def test_kernels(self):
        self.write("a4w4.csv", HEADER + GOOD.replace(",k,", ",_ZN5aiter11f4gemm_bf16E,"))
        self.write("list.csv", "tile_m,tile_n,knl_name\n1,1,_ZN5aiter10f4gemm_fp8E\n")
        self.assertIn("no list has the kernel _ZN5aiter11f4gemm_bf16E",
                      self.fail_with(1, "table", "lint", "a4w4.csv", "--kernels", "list.csv").stdout)
        self.fail_with(3, "table", "lint", "a4w4.csv", "--kernels", "a4w4.csv")

    def test_the_kernels_of_fused_moe(self):
        self.write("moe.csv", "gfx,cu_num,token,model_dim,kernelName1,kernelName2,us\n"
                   "gfx950,256,1,64,_ZN5aiter6fmoe_aE,_ZN5aiter6fmoe_bE,9.5\n")  # fmt: skip
        self.write("list.csv", "// a licence, of someone\nknl_name,co_name,atm\n_ZN5aiter6fmoe_aE,a.co,0\n")
        output = self.fail_with(1, "table", "lint", "--rule", "unknown-kernel", "moe.csv", "--kernels", "list.csv").stdout
        self.assertIn("no list has the kernel _ZN5aiter6fmoe_bE", output)
        self.assertNotIn("fmoe_aE", output)

    def test_a_rule_takes_one_value(self):
        self.write("a4w4.csv", HEADER + STALE + PLACEHOLDER)
        for chosen in (("--rule", "tflops-contradiction"), ("--rule", "tflops-contradiction,odd-cell"),
                       ("--rule", "odd-cell", "--rule", "tflops-contradiction"), ("--ignore", "no-time")):
            self.assertIn("1 warning (tflops-contradiction 1)", self.succeed("table", "lint", *chosen, "a4w4.csv").stdout)

    def test_files_that_nothing_reads(self):
        self.write("headerless_a4w4.csv", GOOD)
        output = self.fail_with(1, "table", "lint", "headerless_a4w4.csv").stdout
        self.assertIn("no-reader: none of its columns says what its rows are for (it has no header", output)

    def test_usage(self):
        self.write("a4w4.csv", HEADER + GOOD)
        self.assertIn("there is no rule 'x'", self.fail_with(2, "table", "lint", "a4w4.csv", "--rule", "x").stderr)
        self.fail_with(2, "table", "lint")
        rules = self.succeed("table", "lint", "--list").stdout
        self.assertIn("shadowed-row         error    another row of the file has the same key and is faster\n", rules)


class Fix(CommandTest):
    def test_a_clean_copy(self):
        text = HEADER + GOOD + PLACEHOLDER + STALE
        self.write("a4w4.csv", text)
        output = self.succeed("table", "lint", "--fix", "-o", "clean_a4w4.csv", "a4w4.csv").stdout
        self.assertIn("a4w4.csv:3:28: dropped: us is '0'", output)
        self.assertIn("a4w4.csv:4:37: tflops: 3.1 instead of '0.78'\n", output)
        self.assertIn("clean_a4w4.csv: 2 rows of 3, 1 changed\n", output)
        self.assertEqual(self.read("clean_a4w4.csv"), HEADER + GOOD + STALE.replace("0.78", "3.1"))
        self.assertEqual(self.read("a4w4.csv"), text)
        self.succeed("table", "lint", "--strict", "clean_a4w4.csv")

    def test_a_cut_line_stays_an_error(self):
        self.write("a4w4.csv", HEADER + GOOD + "gfx950,256,1,512,4096,21,0,1.25,k,0.78,194.57")
        self.assertIn("1 damaged lines left as they are", self.succeed("table", "lint", "--fix", "-o", "c_a4w4.csv", "a4w4.csv").stdout)
        self.assertEqual(self.read("c_a4w4.csv"), self.read("a4w4.csv") + "\n")
        self.assertIn("short-row", self.fail_with(1, "table", "lint", "c_a4w4.csv").stdout)

    def test_never_in_place(self):
        self.write("a4w4.csv", HEADER + PLACEHOLDER)
        for arguments in (["--fix", "a4w4.csv"], ["--fix", "-o", "a4w4.csv", "a4w4.csv"],
                          ["-o", "b.csv", "a4w4.csv"], ["--fix", "-o", "b.csv", "a4w4.csv:a4w4.csv"]):
            self.fail_with(2, "table", "lint", *arguments)
        self.assertEqual(self.read("a4w4.csv"), HEADER + PLACEHOLDER)


if __name__ == "__main__":
    main()
