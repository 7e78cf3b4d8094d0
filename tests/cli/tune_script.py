#!/usr/bin/env python3
"""What a tuning run writes and says, in this process and with workers."""
import contextlib
import json
import os
import resource
import sqlite3
import subprocess

from harness import PATIENCE_S, PROGRAM, CommandTest, main, shape_list

SEED_COLUMNS = ("cu_num,M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle,libtype,solidx,splitK,us,kernelName,err_ratio,tflops,bw")
COLUMNS = "gfx," + SEED_COLUMNS  # nothing else would say that a row is of a CPU


class Tune(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("bf16.csv", shape_list([(8, 32, 64), (1, 16, 16)]))

    def check_results(self):
        self.assertEqual(self.read("out.csv").splitlines()[0], COLUMNS)
        rows = self.rows("out.csv")
        self.assertEqual([(row["M"], row["N"], row["K"]) for row in rows], [("1", "16", "16"), ("8", "32", "64")])
        for row in rows:
            self.assertGreater(float(row["us"]), 0)
            self.assertLessEqual(float(row["err_ratio"]), 0.05)
            self.assertTrue(row["kernelName"].startswith(row["libtype"]), row)

    def test_a_time_that_the_roofline_does_not_allow_is_no_gain(self):
        os.environ["GEMMTUNE_CACHE"] = str(self.folder / "cache")
        self.addCleanup(os.environ.pop, "GEMMTUNE_CACHE")
        self.succeed("bench", "roofline", "--device", "cpu", "--types", "f32", "--size", "64", "--most_candidates", "2")
        tune = ("tune", "-i", "bf16.csv", "--libtype", "cpu_reference", "--iters", "5", "--device", "cpu")
        self.succeed(*tune, "-o", "before.csv")  # a peak on so small a problem says nothing
        file, = (self.folder / "cache" / "rooflines").iterdir()
        roofline = json.loads(file.read_text())
        roofline["peaks"]["f32"].update(tflops=1e-9, problem="4096x4096x4096:f32:f32:f32:packed")
        file.write_text(json.dumps(roofline))
        result = self.fail_with(1, *tune, "--all", "--fresh", "-o", "after.csv")
        self.assertRegex(result.stdout + result.stderr, r"its time of [\d.e+-]+ us is a fault")

    def small_families(self):
        """The families with few candidates: hundreds of candidates take longer than a test should."""
        found = json.loads(self.succeed("families", "--problem", "8x32x64:f32:f32:f32", "--json").stdout)
        return ",".join(family["family"] for family in found if family["candidate_count"] <= 40)

    def test_with_workers(self):
        result = self.succeed("tune", "-i", "bf16.csv", "-o", "out.csv", "-o2", "profile.csv", "--iters", "5",
                              "--libtype", self.small_families())
        self.check_results()
        self.assertIn("2 tuned, 0 failed, 0 skipped", result.stdout)
        self.assertRegex(result.stdout, r"kernels [\d.]+ %, prepare [\d.]+ %, .* overhead [\d.]+ %")
        self.assertRegex(result.stderr, r"\[2/2\] .* us, ")
        self.check_profile()

    def check_profile(self):
        profile = self.rows("profile.csv")
        self.assertEqual(",".join(profile[0]), SEED_COLUMNS + ",outcome,reason,stage")
        names = [(row["M"], row["libtype"], row["kernelName"]) for row in profile]
        self.assertEqual(len(names), len(set(names)), "a candidate is in the profile twice")
        for row in profile:
            self.assertEqual(row["outcome"] == "ok", row["reason"] == "", row)
            self.assertEqual(row["outcome"] == "ok", 0 < float(row["us"]) < float("inf"), row)
        winners = {(row["M"], row["kernelName"], row["us"]) for row in self.rows("out.csv")}
        self.assertLessEqual(winners, {(row["M"], row["kernelName"], row["us"]) for row in profile})

    def test_little_address_space_hangs_nowhere(self):
        """OpenBLAS's threads ask for memory for ever, and its handlers of fork and exit wait for them."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20))
        if subprocess.run([PROGRAM, "--version"], capture_output=True, timeout=PATIENCE_S, preexec_fn=limit).returncode:
            self.skipTest("this build needs more to start, as with sanitizers")
        result = subprocess.run([PROGRAM, "tune", "--libtype", "cpu_reference", "-i", "bf16.csv", "-o", "out.csv"],
                                cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE_S, preexec_fn=limit)
        self.assertIn(result.returncode, (0, 1, 5), result.stderr)

    def test_in_process(self):
        self.tune("-i", "bf16.csv", "-o", "out.csv", "--in-process")
        self.check_results()

    def test_layouts_and_epilogues_need_our_own_schema(self):
        self.write("views.csv", "M,N,K,problem\n8,32,64,8x32x64:f32:f32:f32:nn:ldc=40:gelu_tanh:residual\n")
        flags = ["tune", "-i", "views.csv", "-o", "views_out.csv", "--in-process", "--libtype", "cpu_reference"]
        refused = self.fail_with(2, *flags, "--schema", "seed")
        self.assertIn("--schema gemmtune", refused.stderr)
        self.succeed(*flags)
        row, = self.rows("views_out.csv")
        self.assertEqual((row["layout"], row["epilogue"]), ("nn:ldc=40", "gelu_tanh:residual"))
        again = self.succeed(*flags)
        self.assertIn("0 tuned, 0 failed, 1 skipped", again.stdout)
        found = self.succeed("lookup", "--table", "views_out.csv", "--device", "cpu", "8x32x64:f32:f32:f32:nn:ldc=40:gelu_tanh:residual")
        self.assertIn("exact", found.stdout)
        other = self.run_program("lookup", "--table", "views_out.csv", "--device", "cpu", "8x32x64:f32:f32:f32")
        self.assertNotIn("exact", other.stdout)

    def test_our_own_schema_says_where_rows_come_from(self):
        self.tune("-i", "bf16.csv", "-o", "out.csv", "--in-process", "--schema", "gemmtune")
        rows = self.rows("out.csv")
        self.assertEqual(",".join(rows[0]), COLUMNS.replace("bpreshuffle,", "bpreshuffle,layout,epilogue,problem,") + ",us_low,us_high,dispersion,samples,library,device_name,driver,"
                                            "policy,date")
        for row in rows:
            self.assertNotEqual(row["gfx"], "")
            self.assertLessEqual(float(row["us_low"]), float(row["us"]))
            self.assertGreater(int(row["samples"]), 0)
            self.assertTrue(row["library"].startswith("cpu_reference "), row)
            self.assertRegex(row["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
            self.assertIn("warmup=5", row["policy"])
        again = self.tune("-i", "bf16.csv", "-o", "out.csv", "--in-process")
        self.assertIn("0 tuned, 0 failed, 2 skipped", again.stdout)
        self.assertEqual(self.rows("out.csv"), rows, "a table that is there keeps its columns")
        self.assertIn("--schema: found 'old'", self.fail_with(2, "tune", "-i", "bf16.csv", "--schema", "old").stderr)

    def test_the_same_again_skips_all(self):
        self.tune("-i", "bf16.csv", "-o", "out.csv", "--in-process")
        table, trials = self.read("out.csv"), self.trials("out.trials.db")
        result = self.tune("-i", "bf16.csv", "-o", "out.csv", "--in-process")
        self.assertIn("0 tuned, 0 failed, 2 skipped", result.stdout)
        self.assertIn("skipped 2 that are already in out.csv", result.stdout)
        self.assertEqual(self.read("out.csv"), table)
        self.assertEqual(self.trials("out.trials.db"), trials)

    def test_all_tunes_again_from_the_store_and_fresh_measures_again(self):
        self.tune("-i", "bf16.csv", "-o", "out.csv", "--in-process")
        table, trials = self.read("out.csv"), self.trials("out.trials.db")
        result = self.tune("-i", "bf16.csv", "-o", "out.csv", "--in-process", "--all")
        self.assertIn("2 tuned, 0 failed, 0 skipped", result.stdout)
        self.assertEqual(self.read("out.csv"), table)
        self.assertEqual(self.trials("out.trials.db"), trials)
        self.tune("-i", "bf16.csv", "-o", "out.csv", "--in-process", "--all", "--fresh")
        self.assertEqual(self.trials("out.trials.db"), trials + trials)
        self.assertEqual(len(self.rows("out.csv")), 2)

    def test_rows_of_others_stay_as_they_are(self):
        other = "gfx942,304,1,16,16,False,torch.float32,torch.float32,False,False,hipblaslt,7,0, 9.50000,Cijk_x,0.0,0.1,0.2\nnot a row\n"
        self.write("out.csv", COLUMNS + "\n" + other)
        self.tune("-i", "bf16.csv", "-o", "out.csv", "--in-process")
        lines = self.read("out.csv").splitlines()
        self.assertEqual(len(lines), 5)
        for line in other.splitlines():
            self.assertIn(line, lines)

    def test_a_table_without_gfx_takes_no_rows_of_a_cpu(self):
        row = "304,1,16,16,False,torch.float32,torch.float32,False,False,hipblaslt,7,0,9.5,Cijk_x,0.0,0.1,0.2\n"
        self.write("out.csv", SEED_COLUMNS + "\n" + row)
        refused = self.fail_with(2, "tune", "-i", "bf16.csv", "-o", "out.csv", "--in-process")
        self.assertIn("out.csv has no column gfx", refused.stderr)
        self.assertEqual(self.read("out.csv"), SEED_COLUMNS + "\n" + row)

    def test_rows_of_a_cpu_are_not_served_to_a_gpu_of_as_many_units(self):
        self.tune("-i", "bf16.csv", "-o", "out.csv", "--in-process")
        units = self.rows("out.csv")[0]["cu_num"]
        problem = "8x32x64:f32:f32:f32"
        self.assertIn("exact", self.succeed("lookup", "-t", "out.csv", "--device", "cpu", problem).stdout)
        other = self.run_program("lookup", "-t", "out.csv", "--gfx", "gfx942", "--cu-num", units, problem)
        self.assertNotIn("exact", other.stdout)

    def test_a_list_of_tables_is_read_and_its_first_written(self):
        self.tune("-i", "bf16.csv", "-o", "old.csv", "--in-process")
        old = self.read("old.csv")
        result = self.tune("-i", "bf16.csv", "-o", "new.csv:old.csv", "--in-process")
        self.assertIn("2 skipped", result.stdout)
        self.assertEqual(self.read("new.csv"), COLUMNS + "\n")
        self.assertEqual(self.read("old.csv"), old)

    def test_large_shapes_are_left_out_with_the_reason(self):
        self.write("bf16.csv", shape_list([(1, 16, 16), (4096, 4096, 4096)]))
        result = self.tune("-i", "bf16.csv", "-o", "out.csv", "--in-process", "--max-gflop", "1")
        self.assertIn("1 tuned, 0 failed, 1 skipped", result.stdout)
        self.assertIn("skipped 4096x4096x4096:f32:f32:f32: 137 GFLOP, above --max-gflop 1", result.stdout)

    def test_a_budget_that_ends_before_the_work(self):
        result = self.fail_with(1, "tune", "-i", "bf16.csv", "-o", "out.csv", "--budget", "0.000001", "--in-process")
        self.assertIn("0 tuned, 0 failed, 0 skipped, 2 not reached", result.stdout)
        self.assertIn("the budget of", result.stdout)
        status = json.loads(self.succeed("status", "out.trials.db", "--json").stdout)
        self.assertEqual([run["state"] for run in status], ["stopped"])

    def check_proven(self):
        with contextlib.closing(sqlite3.connect(f"file:{self.folder / 'out.trials.db'}?mode=ro", uri=True)) as database:
            proven = set(database.execute("SELECT m, candidate FROM trial_details WHERE stage = 'prove' AND outcome = 'ok'"))
        rows = self.rows("out.csv")
        self.assertLessEqual({(int(row["M"]), row["kernelName"]) for row in rows}, proven)
        return len(rows)

    def test_a_budget_writes_proven_winners_only(self):
        self.write("bf16.csv", shape_list([(m, 64, 256) for m in (16, 64, 128)]))
        flags = ("tune", "-i", "bf16.csv", "-o", "out.csv", "--libtype", "cpu_reference", "--in-process")
        for budget in ("0.05", "0.2", "0.8"):
            result = self.run_program(*flags, "--budget", budget)
            self.assertEqual(result.returncode, 0 if self.check_proven() == 3 else 1, result.stdout + result.stderr)
        self.succeed(*flags)
        self.assertEqual(self.check_proven(), 3, "the next run goes on")


if __name__ == "__main__":
    main()
