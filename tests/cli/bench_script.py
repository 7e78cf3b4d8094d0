#!/usr/bin/env python3
"""gemmtune bench, end to end: families, tables, comparisons and the roofline, on the CPU."""
import json
import os
import pathlib
import re
import shlex
import signal
import sys
import unittest.mock

from harness import CommandTest, main, shape_list

SLOW = "cpu_reference"
FAST = "cpu_tile"
ROOT = pathlib.Path(__file__).resolve().parents[2]
STEADY_WORKER = shlex.join([sys.executable, "-B", str(ROOT / "tests/cli/steady_worker.py"),
                            str(ROOT / "workers/example_worker.py")])
STEADY_SHAPES = ((8, 16, 16), (4, 16, 16))
TABLE = "gfx,cu_num,M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle,libtype,solidx,splitK,us,kernelName,err_ratio,tflops,bw\n"


class Bench(CommandTest):
    maxDiff = None

    def setUp(self):
        super().setUp()
        os.environ["GEMMTUNE_CACHE"] = str(self.folder / "cache")
        self.write("f32_untuned_gemm.csv", shape_list([(48, 128, 128), (64, 96, 128)]))

    def bench(self, *arguments):
        return self.succeed("bench", "--device", "cpu", *arguments)

    def kernel_of(self, family, problem="48x128x128:f32:f32:f32"):
        """A family's default kernel, on one thread: a busy machine slows it down least."""
        result = json.loads(self.bench("--problem", problem, "--families", family, "--most_candidates", "0", "--json").stdout)
        return re.sub(r"_t\d+", "_t1", result["shapes"][0]["backends"][0]["kernel"])

    def table(self, name, kernels, shapes=((48, 128, 128), (64, 96, 128))):
        """A tuned table of this device with one (family, kernel) for each shape."""
        device = json.loads(self.bench("--problem", "8x8x8:f32:f32:f32", "--most_candidates", "0", "--json").stdout)["device"]
        lines = [f"{device['gfx']},{device['cu_num']},{m},{n},{k},False,torch.float32,torch.float32,False,False,{family},-1,0,1.5,{kernel},0.0,0,0\n"
                 for (m, n, k), (family, kernel) in zip(shapes, kernels)]
        return self.write(name, TABLE + "".join(lines))

    def test_families_side_by_side(self):
        result = self.bench("-i", "f32_untuned_gemm.csv", "--families", f"{SLOW},{FAST}", "--most_candidates", "2",
                            "-o", "b.csv", "-o", "b.json", "-o", "b.md", "-o", "b.txt")
        self.assertEqual(result.stdout, self.read("b.txt"))
        self.assertRegex(result.stdout, rf"48x128x128:f32:f32:f32 +{SLOW} = default ")
        self.assertIn("search of 2", result.stdout)
        rows = self.rows("b.csv")
        self.assertEqual(list(rows[0])[:7], ["M", "N", "K", f"{SLOW}_default_tflops", f"{SLOW}_default_us", f"{SLOW}_tflops", f"{SLOW}_us"])
        for row in rows:
            times = {name[:-3]: float(us) for name, us in row.items() if name.endswith("_us")}
            self.assertEqual(set(times), {f"{SLOW}_default", SLOW, f"{FAST}_default", FAST})
            for winner in row["winner"].split("="):
                self.assertLessEqual(times[winner], 1.02001 * min(times.values()))
            flop = 2 * int(row["M"]) * int(row["N"]) * int(row["K"])
            self.assertAlmostEqual(float(row[f"{FAST}_tflops"]), flop / float(row[f"{FAST}_us"]) / 1e6, delta=6e-5)
        for shape in json.loads(self.read("b.json"))["shapes"]:
            for backend in shape["backends"]:
                self.assertEqual(backend["outcome"], "ok")
                self.assertLessEqual(backend["us_low"], backend["us"])
                self.assertLessEqual(backend["us"], backend["us_high"])
        self.assertIn(f"{FAST} / {SLOW}", self.succeed("analyze", "b.csv", "--primary", FAST).stdout)
        self.assertIn("| shape | backend |", self.read("b.md"))

    def test_tuned_choices_come_from_files(self):
        self.tune("-i", "f32_untuned_gemm.csv", "-o", "t.csv", "--device", "cpu")
        for source in ("t.csv", "t.trials.db"):
            result = json.loads(self.bench("-i", "f32_untuned_gemm.csv", "--tuned", source, "--families", f"{SLOW},{FAST}", "--json").stdout)
            chosen = {b["backend"]: b for b in result["shapes"][0]["backends"]}
            self.assertTrue(chosen[SLOW]["chosen_by"].startswith(source), chosen[SLOW])
            self.assertEqual(chosen[SLOW]["outcome"], "ok")
            self.assertEqual(chosen[FAST]["outcome"], "unsupported")
            self.assertIn("searching was not requested", chosen[FAST]["reason"])
        self.write("elsewhere_bf16.csv", TABLE + "gfx950,256,48,128,128,False,torch.float32,torch.float32,False,False,asm,-1,0,1.5,asm_1,0.0,0,0\n")
        self.assertIn("no kernels with times for", self.fail_with(3, "bench", "--device", "cpu", "--problem", "8x8x8:a16w16", "--tuned", "elsewhere_bf16.csv").stderr)

    def test_what_a_table_would_run(self):
        self.table("bf16_tuned_gemm.csv", [(FAST, self.kernel_of(FAST)), (SLOW, "cpu_reference_no_such_kernel")])
        result = self.fail_with(1, "bench", "--device", "cpu", "--run_config", "bf16_tuned_gemm.csv", "-o", "r.csv")
        self.assertIn("exact, bf16_tuned_gemm.csv:2", result.stdout)
        self.assertIn("cpu_reference_no_such_kernel", result.stdout.split("without a time:")[1])
        right, wrong = self.rows("r.csv")
        self.assertEqual((right["table_match"], right["table_tuned_m"], right["table_us_expected"]), ("exact", "48", "1.5000"))
        self.assertEqual(wrong["table_us"], "")
        padded = self.bench("--run_config", "bf16_tuned_gemm.csv", "--problem", "45x128x128:f32:f32:f32", "--problem", "7x100x100:f32:f32:f32")
        self.assertIn("padded_fine from M 48, bf16_tuned_gemm.csv:2", padded.stdout)
        self.assertIn("fallback, rule: ", padded.stdout)
        self.assertIn("no table is named", self.fail_with(2, "bench", "--device", "cpu", "--run_config", "--problem", "8x8x8:a16w16").stderr)
        with unittest.mock.patch.dict(os.environ, {"GEMMTUNE_CONFIG_A16W16": "bf16_tuned_gemm.csv"}):
            served = self.bench("--run_config", "--problem", "48x128x128:f32:f32:f32")
        self.assertIn("exact, bf16_tuned_gemm.csv:2", served.stdout)

    def test_only_what_is_better_is_taken_over(self):
        """With a worker whose times are invented: this is no test of the machine."""
        slow, fast = ("pure_python", "python_index"), ("pure_python", "python_dot")
        self.table("bf16_a.csv", [slow, fast], STEADY_SHAPES)
        self.table("bf16_b.csv", [fast, slow], STEADY_SHAPES)
        before = self.read("bf16_a.csv")
        compare = ("--compare", "bf16_a.csv", "bf16_b.csv", "--worker", STEADY_WORKER)
        said = self.bench(*compare, "-o", "c.csv")
        self.assertIn("2 shapes: 1 improved, 1 worse; 1 row for --update_improved to write to bf16_a.csv", said.stderr)
        self.assertEqual(self.read("bf16_a.csv"), before)
        self.assertEqual([row["verdict"].split(" (")[0] for row in self.rows("c.csv")], ["improved", "worse"])
        self.bench(*compare, "--update_improved", "--min_improvement_pct", "51")
        self.assertEqual(self.read("bf16_a.csv"), before, "an improvement of 50 % is none of 51 %")
        self.bench(*compare, "--update_improved")
        written = self.rows("bf16_a.csv")
        self.assertEqual([row["kernelName"] for row in written], [fast[1], fast[1]])
        self.assertAlmostEqual(float(written[0]["us"]), 20, delta=0.3)
        self.assertEqual(self.read("bf16_a.csv").splitlines()[2], before.splitlines()[2])
        self.assertIn("1 same kernel", self.bench(*compare).stderr)

    def test_tables_that_state_problems_are_compared_with_those_that_do_not(self):
        self.tune("-i", "f32_untuned_gemm.csv", "-o", "bf16_new.csv", "--device", "cpu", "--schema", "gemmtune")
        new = self.rows("bf16_new.csv")
        self.assertIn("problem", new[0])
        self.write("bf16_old.csv", "".join(",".join(cell for name, cell in zip(new[0], line.split(",")) if name != "problem") + "\n"
                                           for line in self.read("bf16_new.csv").splitlines()))
        self.assertIn("2 same kernel", self.bench("--compare", "bf16_old.csv", "bf16_new.csv").stderr)
        self.write("a4w4.csv", "cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n256,1,2,32,1,0,1.0,k,0,0,0\n")
        self.assertRegex(self.fail_with(2, "bench", "--device", "cpu", "--compare", "bf16_old.csv", "a4w4.csv").stderr,
                         "bf16_old.csv is a table of a16w16, .*a4w4.csv of a4w4")

    def test_the_roofline_is_remembered(self):
        self.assertIn("nothing is remembered", self.fail_with(3, "bench", "roofline", "--show", "--device", "cpu").stderr)
        measured = json.loads(self.succeed("bench", "roofline", "--device", "cpu", "--types", "f32", "--size", "64", "--most_candidates", "2", "--json").stdout)
        self.assertGreater(measured["copy_gbps"], 0)
        self.assertEqual(list(measured["peaks"]), ["f32"])
        self.assertEqual(json.loads(self.succeed("bench", "roofline", "--show", "--device", "cpu", "--json").stdout), measured)
        shape = json.loads(self.bench("--problem", "48x128x128:f32:f32:f32", "--families", FAST, "--most_candidates", "0", "-o", "b.csv", "--json").stdout)["shapes"][0]
        usable = min(measured["peaks"]["f32"]["tflops"], shape["flops"] / shape["moved_bytes"] * measured["copy_gbps"] / 1e3)
        backend = shape["backends"][0]
        self.assertAlmostEqual(backend["roofline_share"], backend["tflops"] / usable, places=9)
        analyzed = json.loads(self.succeed("analyze", "b.csv", "--json").stdout)["shapes"][0]["backends"][f"{FAST}_default"]
        self.assertAlmostEqual(analyzed["roofline_share"], backend["roofline_share"], places=3)

    def test_what_makes_no_sense(self):
        for arguments, words in ((("bench",), "no shapes"),
                                 (("bench", "--problem", "8x8x8:a16w16", "-o", "b.pdf"), ".csv, .json, .md or .txt"),
                                 (("bench", "--problem", "8x8x8:a16w16", "--families", "nobody"), "found 'nobody'"),
                                 (("bench", "--problem", "8x8x8:a16w16", "--update_improved"), "requires --compare"),
                                 (("bench", "roofline", "--types", "f31"), "expected some of bf16")):
            self.assertIn(words, self.fail_with(2, *arguments).stderr)
        self.fail_with(3, "bench", "-i", "none.csv", "--format", "a16w16")
        self.fail_with(3, "bench", "--device", "cpu", "--run_config", "none.csv")
        self.fail_with(4, "bench", "--device", "cuda:77", "--problem", "8x8x8:a16w16")

    def test_ctrl_c_writes_what_is_done(self):
        self.write("many.csv", shape_list([(64, 256, 256 + 8 * i) for i in range(60)]))
        with self.running("bench", "--device", "cpu", "-i", "many.csv", "--format", "a16w16", "--families", SLOW, "-o", "b.csv") as process:
            self.wait_for_shapes(process, 1)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130)
        self.assertIn(len(self.rows("b.csv")), range(1, 60))


if __name__ == "__main__":
    main()
