#!/usr/bin/env python3
"""What people type who know AITER's guides: its scripts, options and variables, word for word."""
import json
import os
import unittest.mock

from harness import HEADER, CommandTest, main, shape_list

MODEL = {"model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4,
         "num_key_value_heads": 2, "num_hidden_layers": 3, "vocab_size": 96, "torch_dtype": "float32"}
QUICK = ("--libtype", "cpu_reference", "--iters", "5")
DEVICE = ("--gfx", "gfx950", "--cu-num", "256")
A4W4 = "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"


class Seeds(CommandTest):
    def setUp(self):
        super().setUp()
        ours = ("GEMMTUNE_CONFIG", "AITER_", "GPU_ARCHS", "CU_NUM")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        patch = unittest.mock.patch.dict(os.environ, clean, clear=True)
        patch.start()
        self.addCleanup(patch.stop)

    def sizes(self, name):
        return [(int(row["M"]), int(row["N"]), int(row["K"])) for row in self.rows(name)]


class Tuning(Seeds):
    def test_a_list_without_an_option(self):
        self.write("shapes.csv", "M,N,K\n16,64,64\n")
        self.succeed("tune", "shapes.csv", "--format", "a16w16", "--in_dtype", "f32", "--out_dtype", "f32", *QUICK)
        self.assertEqual(self.sizes("shapes_tuned.csv"), [(16, 64, 64)])
        result = self.succeed("bench", "shapes.csv", "--format", "a16w16", "--in_dtype", "f32", "--out_dtype", "f32",
                              "--libtype", "cpu_reference", "--most_candidates", "0", "--iters", "5")
        self.assertIn("16x64x64", result.stdout)

    def test_the_scripts(self):
        (self.folder / "aiter" / "configs").mkdir(parents=True)
        self.write("aiter/configs/bf16_untuned_gemm.csv", shape_list([(1, 16, 16)]))
        result = self.succeed("compat", "python3", "gradlib/gradlib/gemm_tuner.py", *QUICK, "--mp", "1", "-o2", "p.csv")
        self.assertIn("gemmtune: this is gemmtune tune --format a16w16 -i aiter/configs/bf16_untuned_gemm.csv -o "
                      "aiter/configs/bf16_tuned_gemm.csv --schema seed", result.stderr)
        self.assertEqual(self.sizes("aiter/configs/bf16_tuned_gemm.csv"), [(1, 16, 16)])
        self.assertEqual(len(self.rows("p.csv")), 1)
        self.write("in.csv", shape_list([(2, 16, 16)]))
        self.succeed("compat", "gemm_tuner.py", "--input_file", "in.csv", "--tuned_file", "out.csv", "--all", "--sort",
                     "--batch", "100", "--errRatio", "0.05", "--blockPerCu", "1", "2", "--shape_grouped", "-v", *QUICK)
        self.assertEqual(self.sizes("out.csv"), [(2, 16, 16)])
        self.assertIn("tunes fused MoE", self.fail_with(2, "compat", "gemm_moe_tune.py").stderr)
        self.assertIn("expected one of AITER's tuner scripts", self.fail_with(2, "compat", "else.py").stderr)

    def test_a_model(self):
        (self.folder / "model").mkdir()
        self.write("model/config.json", json.dumps(MODEL))
        self.succeed("compat", "gradlib/gradlib/gemm_tuner.py", "--model_dir", "model", "--tp", "2", "--nsets", "1,8",
                     "--tuned_file", "tuned.csv", *QUICK)
        sizes = self.sizes("tuned.csv")
        self.assertIn((1, 64, 64), sizes)
        self.assertIn((8, 48, 64), sizes)
        self.succeed("tune", "--model_dir", "model/", "--nsets", "1", *QUICK)
        self.assertIn("1x128x64:f32:f32:f32", {row["problem"] for row in self.rows("model_tuned.csv")})

    def test_comparing_before_writing(self):
        self.write("bf16.csv", shape_list([(4, 32, 32)]))
        self.fail_with(2, "tune", "bf16.csv", "--update_improved")
        self.succeed("tune", "bf16.csv", "-o", "t.csv", "--compare", *QUICK)
        self.assertEqual(self.sizes("t.csv"), [])
        self.assertEqual(self.sizes("t.candidate.csv"), [(4, 32, 32)])
        self.succeed("tune", "bf16.csv", "-o", "t.csv", *QUICK)
        before = self.read("t.csv")
        result = self.succeed("tune", "bf16.csv", "-o", "t.csv", "--compare", "--update_improved",
                              "--min_improvement_pct", "3", *QUICK)
        self.assertIn("same kernel", result.stdout)
        self.assertEqual(self.read("t.csv"), before)
        result = self.succeed("tune", "bf16.csv", "--run_config", "t.csv", *QUICK)
        self.assertIn("exact", result.stdout)

    def test_libraries_of_aiter(self):
        self.write("bf16.csv", HEADER)
        result = self.fail_with(2, "tune", "bf16.csv", "--libtype", "hipblaslt")
        self.assertIn("--libtype: hipblaslt is AITER's, and needs a worker", result.stderr)

    def test_splitting(self):
        self.write("bf16.csv", shape_list([(m, 64, 64) for m in range(1, 9)]))
        self.succeed("split", "2", "bf16.csv")
        self.assertEqual(sorted(self.sizes("bf16-1-of-2.csv") + self.sizes("bf16-2-of-2.csv")),
                         [(m, 64, 64) for m in range(1, 9)])


class Tables(Seeds):
    def test_lists_and_tables_of_ours_need_no_format(self):
        self.write("shapes.csv", "M,N,K,problem\n4,32,32,4x32x32:f32:f32:f32\n8,32,32,8x32x32:f32:f32:f32:relu\n"
                                 "2,16,16,2x16x16:f32:f32:f32:batch=3\n")
        self.succeed("tune", "shapes.csv", "-o", "t.csv", *QUICK)
        rows = self.rows("t.csv")
        self.assertEqual({row["problem"] for row in rows},
                         {"4x32x32:f32:f32:f32", "8x32x32:f32:f32:f32:relu", "2x16x16:f32:f32:f32:batch=3"})
        self.assertEqual(",".join(rows[0]).split(",us_low")[0], "gfx,cu_num,B,M,N,K,layout,epilogue,problem,libtype,kernelId,"
                                                                "splitK,us,kernelName,tflops,bw,errRatio")
        device = ("--gfx", rows[0]["gfx"], "--cu-num", rows[0]["cu_num"])
        for problem in (row["problem"] for row in rows):
            self.assertIn(": exact: ", self.succeed("lookup", "-t", "t.csv", *device, problem).stdout)
        covered = json.loads(self.succeed("table", "coverage", "--shapes", "shapes.csv", "t.csv", "--json").stdout)
        self.assertEqual(covered["matches"]["exact"]["shapes"], 3)
        self.assertIn("3 shapes", self.succeed("analyze", "t.csv").stdout)
        self.assertIn("0 tuned, 0 failed, 3 skipped", self.succeed("tune", "shapes.csv", "-o", "t.csv", *QUICK).stdout)
        other = self.write("other.csv", self.read("t.csv").replace("4x32x32:f32", "5x32x32:f32"))
        self.assertIn("problem: found", self.run_program("lookup", "-t", other, *device, "4x32x32:f32:f32:f32").stderr)

    def test_formats_that_are_asked_for(self):
        self.write("mine.csv", A4W4 + "gfx950,256,16,64,64,1,0,5.0,k,0,0,0\n")
        self.fail_with(3, "lookup", "-t", "mine.csv", *DEVICE, "16x64x64:a4w4")
        self.assertIn("exact", self.succeed("lookup", "-t", "mine.csv", "--format", "a4w4", *DEVICE, "16x64x64:a4w4").stdout)
        self.write("list.csv", "M,N,K\n16,64,64\n")
        covered = self.succeed("table", "coverage", "--shapes", "list.csv", "mine.csv", "--format", "a4w4", "--json").stdout
        self.assertEqual(json.loads(covered)["matches"]["exact"]["shapes"], 1)
        self.write("names.csv", A4W4 + "gfx950,256,16,64,64,1,0,5.0,f4gemm_bf16_x,0,0,0\n")
        self.assertIn("exact", self.succeed("lookup", "-t", "names.csv", *DEVICE, "16x64x64:a4w4").stdout)

    def test_a_list_without_a_header(self):
        self.write("bf16.csv", "16384,16384,32768\n1,2,3\n")
        for command in (("tune",), ("shapes", "stats")):
            result = self.fail_with(3, *command, "bf16.csv")
            self.assertIn("bf16.csv:1:1: found 16384,16384,32768 in the first line, expected the names of the columns, as "
                          "M,N,K", result.stderr)

    def test_schemas_of_aiter_say_the_same_or_are_refused(self):
        self.write("shapes.csv", "M,N,K,problem\n4,32,32,4x32x32:f32:f32:f32\n")
        self.succeed("tune", "shapes.csv", "-o", "t.csv", *QUICK)
        self.succeed("table", "convert", "t.csv", "--schema", "today", "--format", "a16w16", "-o", "today.csv")
        self.assertNotIn("problem", self.rows("today.csv")[0])
        self.succeed("table", "convert", "today.csv", "--schema", "gemmtune", "--format", "a16w16", "-o", "back.csv")
        self.assertEqual(self.rows("back.csv")[0]["problem"], "4x32x32:f32:f32:f32")
        self.assertIn("convert one of them", self.fail_with(3, "table", "merge", "t.csv", "today.csv", "-o", "m.csv").stderr)
        self.succeed("table", "merge", "t.csv", "back.csv", "-o", "m.csv")
        self.assertEqual(len(self.rows("m.csv")), 1)


class Serving(Seeds):
    def setUp(self):
        super().setUp()
        self.write("a4w4.csv", A4W4 + "gfx950,256,16,64,64,1,0,5.0,k,0,0,0\n")

    def test_variables_of_aiter(self):
        os.environ.update(AITER_LOG_TUNED_CONFIG="1", AITER_TUNE_GEMM="1")
        result = self.fail_with(1, "lookup", "-t", "a4w4.csv", *DEVICE, "16x64x64:a4w4", "3x48x48:a16w16")
        self.assertIn("gemmtune: 16x64x64:e2m1/1x32:e2m1/1x32:bf16:packed: exact: k", result.stderr)
        self.assertEqual({row["problem"]: row["match"] for row in self.rows("gemmtune_capture.csv")},
                         {"16x64x64:e2m1/1x32:e2m1/1x32:bf16:packed": "exact", "3x48x48:bf16:bf16:bf16": "fallback"})
        self.succeed("shapes", "from-capture", "gemmtune_capture.csv", "-o", "untuned_gemm", "--by-format",
                     "--columns", "aiter")
        self.assertEqual(self.read("untuned_gemm_a16w16.csv"),
                         "M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle\n"
                         "3,48,48,False,torch.bfloat16,torch.bfloat16,False,False\n")

    def test_an_installation(self):
        configs = self.folder / "repo" / "aiter" / "configs"
        (configs / "model_configs").mkdir(parents=True)
        (configs / "a4w4_blockscale_tuned_gemm.csv").write_text(self.read("a4w4.csv"))
        (configs / "model_configs" / "x_a4w4_blockscale_tuned_gemm.csv").write_text(self.read("a4w4.csv").replace("5.0,k", "4.0,model"))
        self.assertIn("exact: model", self.succeed("lookup", "--aiter", "repo", *DEVICE, "16x64x64:a4w4").stdout)
        self.write("a4w4_shapes.csv", "M,N,K\n16,64,64\n16,96,64\n")
        covered = json.loads(self.succeed("table", "coverage", "--shapes", "a4w4_shapes.csv", "--aiter", "repo", "--json").stdout)
        self.assertEqual((covered["matches"]["exact"]["shapes"], covered["matches"]["fallback"]["shapes"]), (1, 1))
        result = self.fail_with(1, "table", "lint", "--aiter", "repo")
        self.assertIn("shadowed-across: never served", result.stdout)
        self.fail_with(2, "table", "lint", "--fix", "--aiter", "repo", "-o", "x.csv", "a4w4.csv")
        self.fail_with(3, "table", "coverage", "--shapes", "a4w4_shapes.csv", "--aiter", "nowhere")
        os.environ["AITER_TUNE_GEMM"] = "1"
        self.fail_with(1, "lookup", "--aiter", "repo", *DEVICE, "16x64x64:a4w4", "16x96x64:a4w4")
        self.succeed("shapes", "from-capture", "gemmtune_capture.csv", "--aiter", "repo", "-o", "todo.csv")
        self.assertEqual([row["N"] for row in self.rows("todo.csv")], ["96"])

    def test_fused_moe(self):
        self.write("tuned_fmoe.csv",
                   "cu_num,token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,use_g1u1,"
                   "doweight_stage1,block_m,ksplit,us1,kernelName1,err1,us2,kernelName2,err2,us,run_1stage\n"
                   "256,16,512,256,8,2,ActivationType.Silu,torch.bfloat16,torch.bfloat16,torch.bfloat16,QuantType.No,1,0,"
                   "32,0,1.0,first,0.0%,2.0,second,0.0%,3.0,0\n")
        call = ("fmoe:token=9:model_dim=512:inter_dim=256:expert=8:topk=2:act_type=silu:dtype=bf16:q_dtype_a=bf16:"
                "q_dtype_w=bf16:q_type=No:use_g1u1=1:doweight_stage1=0")
        os.environ["AITER_CONFIG_FMOE"] = "tuned_fmoe.csv"
        for tables in ((), ("-t", "tuned_fmoe.csv")):
            text = self.succeed("lookup", *tables, *DEVICE, call).stdout
            self.assertIn(": first + second, block_m 32, ksplit 0, 3.0 us (tuned for 16 tokens, tuned_fmoe.csv:2)\n", text)
        self.fail_with(1, "lookup", *DEVICE, call.replace("token=9", "token=99"))
        self.fail_with(3, "lookup", *DEVICE, "fmoe:token=9")

    def test_the_table_of_the_guide(self):
        (self.folder / "results").mkdir()
        self.write("results/fp4_profile_shapes.csv",
                   "cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
                   "256,16384,16384,32768,50,0,2975.2,f4gemm_bf16_per1x32Fp4_BpreShuffle_256x256,0,0,0.0\n"
                   "256,16384,16384,32768,3,0,3480.7,a4w4_blockscale_256x64x128x128,0,0,0.0\n")
        self.write("results/fp4_triton_gluon_bench.csv", "M,N,K,triton_tflops,triton_us,gluon_tflops,gluon_us\n"
                                                 "16384,16384,32768,3477.0,5059.4,3384.0,5198.4\n")
        text = self.succeed("analyze", "results", "--layout", "seed").stdout
        self.assertRegex(text, r"\| Shape \(MxNxK\) +\| Triton +\| Gluon +\| CK-Tile +\| ASM +\| Best +\| ASM/Best-Alt \|")
        self.assertRegex(text, r"\| 16384x16384x32768 +\| 3477 +\| 3384 +\| 5054 +\| \*\*5913\*\* +\| ASM +\| 1\.17x +\|")
        self.assertIn("ASM vs CK-Tile: min 1.17x, max 1.17x, mean 1.17x speedup\n", text)
        self.assertIn("Gluon vs Triton: min 0.97x", text)
        self.assertIn("Shapes where ASM loses to another backend: none\nShapes with errRatio > 0.05: none\n", text)
        result = self.succeed("analyze", "results", "--backends", "asm,flydsl")
        self.assertIn("--backends: none of the inputs has times of 'flydsl'", result.stderr)


class Typing(Seeds):
    def test_a_word_that_is_no_command(self):
        for arguments, start in ((("frobnicate",), "there is no command 'frobnicate'. The commands are: tune, "),
                                 (("shapes", "all"), "there is no command 'all'. The commands of shapes are: from-model")):
            self.assertIn(start, self.fail_with(2, *arguments).stderr)

    def test_what_is_not_expected_in_the_order_typed(self):
        self.assertIn("not expected: first second third\n", self.fail_with(2, "devices", "first", "second", "third").stderr)

    def test_what_was_meant(self):
        for arguments, words in ((("tnue",), "there is no command 'tnue'. Did you mean tune? The commands are: "),
                                 (("table", "mrege", "a"), "Did you mean merge? The commands of table are: "),
                                 (("tune", "--most_candidate", "3", "-i", "b"),
                                  "not expected: --most_candidate. Did you mean --most_candidates?\n"),
                                 (("lookup", "--m", "64"), "not expected: --m\n"),
                                 (("tune", "-i"), "gemmtune: -i: a value is missing\nSee gemmtune tune --help.\n"),
                                 (("tune", "-i", "a", "--untune_file=b", "-i", "c"),
                                  "--untune_file: found more than one value, expected one"),
                                 (("tune", "-i", "a", "--errRatio", "-1"),
                                  "--errRatio: found '-1', expected a number from 0 to 1\n"),
                                 (("table", "merge", "--frobnicate"), "See gemmtune table merge --help.\n")):
            self.assertIn(words, self.fail_with(2, *arguments).stderr)

    def test_what_is_allowed(self):
        self.write("bf16.csv", HEADER)
        result = self.fail_with(2, "tune", "bf16.csv", "--timeout", "0")
        self.assertIn("--timeout: found '0', expected a number above 0", result.stderr)

    def test_budgets_as_given(self):
        self.write("bf16.csv", shape_list([(64, 512, 512)] + [(m, 512, 512) for m in range(1, 9)]))
        result = self.fail_with(1, "tune", "bf16.csv", "--budget", "0.001s", *QUICK)
        self.assertIn("the budget of 0.001s is spent", result.stdout)

    def test_status_shows_a_run_that_did_something(self):
        self.write("bf16.csv", shape_list([(1, 16, 16)]))
        for _ in range(2):
            self.succeed("tune", "bf16.csv", "-o", "t.csv", *QUICK)
        self.assertIn("done, 1 of 1 shapes", self.succeed("status", "t.trials.db").stdout)


if __name__ == "__main__":
    main()
