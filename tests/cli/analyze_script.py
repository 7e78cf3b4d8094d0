#!/usr/bin/env python3
"""gemmtune analyze: backends side by side, from files of all kinds."""
import csv
import io
import json
import os
import pty
import subprocess

from harness import PROGRAM, CommandTest, main

PROFILE = """cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio
256,1,512,4096,21,0,4,_ZN5aiter41f4gemm_bf16_per1x32Fp4_BpreShuffle_32x128E,0,0,0.0
256,1,512,4096,0,0,4,a4w4_blockscale_256x64x128x128,0,0,0.0
256,2,512,4096,22,0,0,_ZN5aiter41f4gemm_bf16_per1x32Fp4_BpreShuffle_32x128E,0,0,0.0
256,2,512,4096,1,0,-1,a4w4_blockscale_256x64x128x128,0,0,1.0
256,64,512,4096,22,0,6,_ZN5aiter41f4gemm_bf16_per1x32Fp4_BpreShuffle_32x128E,0,0,0.0
256,64,512,4096,22,0,3,_ZN5aiter41f4gemm_bf16_per1x32Fp4_BpreShuffle_32x256E,0,0,0.2
"""
BENCH = "M,N,K,triton_tflops,triton_us\n1,512,4096,,8\n64,512,4096,,4\n"
TABLE = """ M    N     K    asm   cktile   triton   best        asm/best other
--  ---  ----  ------  -------  -------  ----------  --------------
 1  512  4096   1.05*    1.05*  0.5243   asm=cktile           1.000
 2  512  4096      -        -        -   none                     -
64  512  4096  44.74        -    67.11*  triton               0.667
"""


class Analyze(CommandTest):
    maxDiff = None

    def setUp(self):
        super().setUp()
        self.write("profile_a4w4.csv", PROFILE)
        self.write("bench.csv", BENCH)

    def test_the_table_and_its_summary(self):
        result = self.succeed("analyze")
        caption, *table = result.stdout.splitlines()[:6]
        self.assertEqual(caption, "3 shapes, types e2m1/1x32:e2m1/1x32:bf16:packed, device gfx950/256; TFLOPS")
        self.assertEqual("\n".join(table) + "\n", TABLE)
        for text in ("asm loses on 1 of 3 shapes:", "asm has no usable kernel for 1 of 3 shapes:",
                     "1 of 8 measurements left out, over the limit of errors:", "errRatio 0.2 is over 0.05",
                     "1 of 8 measurements left out, without a time:", "us is -1.0: not supported, or it failed"):
            self.assertIn(text, result.stdout)
        self.assertIn("bench.csv does not say its types: taken for e2m1/1x32:e2m1/1x32:bf16:packed", result.stderr)

    def test_primary_and_backends(self):
        self.assertIn("triton/best other", self.succeed("analyze", ".", "--primary", "Triton").stdout)
        self.assertNotIn("cktile", self.succeed("analyze", ".", "--backends", "asm,triton").stdout.split("\n\n")[0])
        self.assertIn("expected one of asm, cktile, triton", self.fail_with(2, "analyze", "--primary", "gluon").stderr)
        self.assertIn("none of the inputs", self.fail_with(2, "analyze", "--backends", "gluon").stderr)

    def test_csv_reads_back(self):
        text = self.succeed("analyze", ".", "--csv").stdout
        first = next(csv.DictReader(io.StringIO(text)))
        self.assertEqual([first[name] for name in ("gfx", "M", "asm_us", "triton_us", "winner", "ratio")],
                         ["gfx950", "1", "4.0", "8.0", "asm=cktile", "1.0000"])
        (self.folder / "again").mkdir()
        self.write("again/comparison.csv", text)
        again = self.succeed("analyze", "again", "--csv").stdout
        self.assertEqual(again.splitlines()[1].split(",")[:11], text.splitlines()[1].split(",")[:11])

    def test_json_and_markdown(self):
        value = json.loads(self.succeed("analyze", ".", "--json").stdout)
        self.assertEqual(value["backends"], ["asm", "cktile", "triton"])
        self.assertEqual(value["shapes"][0]["winners"], ["asm", "cktile"])
        self.assertEqual({s["reason"] for s in value["skipped"]}, {"over the limit of errors", "without a time", "failed"})
        self.succeed("analyze", ".", "--md", "-o", "comparison.md")
        self.assertIn("| 64 | 512 | 4096 | 44.74 | - | **67.11** | triton | 0.667 |", self.read("comparison.md"))
        self.fail_with(2, "analyze", ".", "--json", "--csv")

    def test_the_page(self):
        result = self.run_program("analyze", ".", "--html", "report.html", "--peak-tflops", "2000", "--peak-gbps", "5000")
        if "no chart library" in result.stderr:
            self.skipTest("this build has no chart library")
        self.assertEqual(result.returncode, 0)
        self.assertIn("3 shapes", result.stdout)
        page = self.read("report.html")
        self.assertTrue(page.startswith("<!DOCTYPE html>"))
        self.assertIn('"peak_tflops":2000.0', page)
        self.fail_with(2, "analyze", ".", "--html", "report.html", "--peak-gbps", "-1")

    def test_the_limit_of_errors(self):
        value = json.loads(self.succeed("analyze", ".", "--json", "--errRatio", "0.3").stdout)
        self.assertEqual(value["shapes"][2]["winners"], ["asm"])

    def test_trials_of_a_run_and_its_files_agree(self):
        self.write("list.csv", "M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle\n8,16,32,False,torch.float32,torch.float32,False,False\n")
        (self.folder / "out").mkdir()
        self.tune("-i", "list.csv", "-o", "out/tuned.csv")
        value = json.loads(self.succeed("analyze", "out", "--json").stdout)
        self.assertEqual(len(value["shapes"]), 1)
        self.assertEqual(value["backends"], ["cpu_reference"])
        self.assertIn("us_interval", value["shapes"][0]["backends"]["cpu_reference"])

    def test_inputs_without_times(self):
        (self.folder / "lists").mkdir()
        self.write("lists/shapes.csv", "M,N,K\n1,2,3\n")
        self.assertIn("no times of GEMM kernels in lists", self.fail_with(3, "analyze", "lists").stderr)
        self.fail_with(3, "analyze", "none.csv")
        self.assertIn("shapes.csv left out: it has no times", self.succeed("analyze", ".").stderr)

    def test_bold_winners_on_a_terminal(self):
        try:
            outer, inner = pty.openpty()
        except OSError as why:  # as in a container without /dev/pts
            self.skipTest(str(why))
        environment = {**os.environ, "TERM": "xterm"}
        environment.pop("NO_COLOR", None)
        with subprocess.Popen([PROGRAM, "analyze"], cwd=self.folder, stdout=inner, stderr=subprocess.DEVNULL, env=environment) as process:
            os.close(inner)
            shown = b""
            try:
                while chunk := os.read(outer, 4096):
                    shown += chunk
            except OSError:  # reading fails so once the terminal is closed
                pass
            self.assertEqual(process.wait(), 0)
        os.close(outer)
        self.assertIn(b"\x1b[1;32m67.11\x1b[0m", shown)


if __name__ == "__main__":
    main()
