#!/usr/bin/env python3
"""Shape lists from models and captures, cut and counted, through the real program."""
import json
import os

import gguf_files
from harness import CommandTest, main

SMALL_MODEL = {"model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4,
               "num_key_value_heads": 2, "num_hidden_layers": 3, "vocab_size": 1000, "torch_dtype": "bfloat16"}
CAPTURE = """gfx,cu_num,M,N,K,problem,match,calls,tuned_m,expected_us
gfx942,304,20,64,128,20x64x128:int8/row:int8/row:bf16,padded_fine,100,32,10.0
gfx942,304,30,64,128,30x64x128:int8/row:int8/row:bf16,exact,900,30,10.0
gfx942,304,40,64,128,40x64x128:bf16:bf16:bf16,fallback,7,0,0.0
"""


class FromModel(CommandTest):
    def config(self, **changes):
        return self.write("config.json", json.dumps(SMALL_MODEL | changes))

    def test_a_list_for_stdout_or_a_file(self):
        result = self.succeed("shapes", "from-model", self.config(), "--m", "8", "--tp", "2")
        self.assertEqual(result.stdout, "M,N,K,problem,weight,layer\n"
                                        "8,64,64,8x64x64:bf16:bf16:bf16,3,qkv_proj[tp2]\n"
                                        "8,64,32,8x64x32:bf16:bf16:bf16,3,o_proj[tp2]\n"
                                        "8,128,64,8x128x64:bf16:bf16:bf16,3,gate_up_proj[tp2]\n"
                                        "8,64,64,8x64x64:bf16:bf16:bf16,3,down_proj[tp2]\n"
                                        .replace("3,qkv_proj[tp2]", "6,qkv_proj[tp2]+down_proj[tp2]")
                                        .replace("8,64,64,8x64x64:bf16:bf16:bf16,3,down_proj[tp2]\n", "")
                                        + "8,500,64,8x500x64:bf16:bf16:bf16,1,lm_head[tp2]\n")
        self.succeed("shapes", "from-model", "--tp", "2", "--m", "8", "config.json", "-o", "list.csv")
        self.assertEqual(self.read("list.csv"), result.stdout)

    def test_weights_may_be_packed(self):
        result = self.succeed("shapes", "from-model", self.config(), "--m", "8", "--packed")
        problems = [line.split(",")[3] for line in result.stdout.splitlines()[1:]]
        self.assertEqual(len(problems), 5)
        self.assertTrue(all(problem.endswith(":packed") for problem in problems), problems)

    def test_one_file_for_each_format_tunes(self):
        config = self.config(quantization_config={"quant_method": "fbgemm_fp8"})
        self.succeed("shapes", "from-model", config, "--m", "1", "-o", "list.csv", "--by-format")
        self.assertEqual(len(self.rows("list_a8w8.csv")), 4)
        self.assertEqual(len(self.rows("list_a16w16.csv")), 1)
        self.tune("-i", "list_a16w16.csv", "-o", "tuned.csv", "--in-process")
        self.assertEqual([(row["M"], row["N"], row["K"]) for row in self.rows("tuned.csv")], [("1", "1000", "64")])

    def test_what_cannot_be_is_said(self):
        for code, message, arguments in (
            (2, "--tp 8 does not divide num_attention_heads = 4", ("--tp", "8", "--m", "1")),
            (2, "--ep 2: config.json has no experts", ("--ep", "2", "--m", "1")),
            (2, "--format fp9: expected one of a16w16", ("--format", "fp9", "--m", "1")),
            (2, "--m is required", ()),
            (2, "--by-format makes several files", ("--by-format", "--m", "1")),
        ):
            with self.subTest(message=message):
                self.assertIn(message, self.fail_with(code, "shapes", "from-model", self.config(), *arguments).stderr)
        result = self.fail_with(3, "shapes", "from-model", self.write("c.json", "{"), "--m", "1")
        self.assertIn("gemmtune: c.json:1:2: not JSON: ", result.stderr)
        result = self.fail_with(3, "shapes", "from-model", self.write("c.json", "{}"), "--m", "1")
        self.assertEqual(result.stderr, "gemmtune: c.json: there is no num_hidden_layers\n")


class FromGguf(CommandTest):
    def model(self, contents=gguf_files.MOE, name="m.gguf"):
        (self.folder / name).write_bytes(contents)
        return name

    def test_a_list_of_its_tensors(self):
        result = self.succeed("shapes", "from-model", self.model(), "--m", "8", "--experts-as", "grouped")
        self.assertEqual(result.stdout,
                         "M,N,K,problem,weight,layer\n"
                         "8,256,256,8x256x256:f32/q8:int8/1x32f16:f32:bias:packed,2,attn_q[tp1]\n"
                         "8,128,256,8x128x256:f32/q8:int8/1x32f16:f32:packed,2,attn_k[tp1]\n"
                         "8,4,256,8x4x256:f32:f32:f32,2,ffn_gate_inp[tp1]\n"
                         "4,96,256,4x96x256:f32/q8:e2m1/1x32:f32:batch=4:packed,2,grouped_ffn_gate_exps[tp1]\n"
                         "4,256,96,4x256x96:f32/q8:e2m1/1x32:f32:batch=4:packed,2,grouped_ffn_down_exps[tp1]\n"
                         "8,1000,256,8x1000x256:f32/q8:int8/1x32f16:f32:packed,1,output[tp1]\n")
        self.assertIn("MXFP4: 4 tensors, listed as f32/q8:e2m1/1x32:f32:packed\n", result.stderr)
        self.assertIn("m.gguf: it ends before its tensors do; the list needs only its header\n", result.stderr)
        self.assertEqual(self.succeed("shapes", "from-model", ".", "--m", "8", "--experts-as", "grouped").stdout,
                         result.stdout)

    def test_a_format_is_for_the_tensors_with_its_blocks(self):
        result = self.succeed("shapes", "from-model", self.model(), "--m", "8", "--experts-as", "grouped", "--format",
                              "a16w4", "--unfused", "-o", "list.csv")
        self.assertIn("--fused and --unfused change nothing", result.stderr)
        problems = [row["problem"] for row in self.rows("list.csv")]
        self.assertIn("4x96x256:f32:e2m1/1x32:f32:batch=4:packed", problems)
        self.assertIn("8x128x256:f32/q8:int8/1x32f16:f32:packed", problems)

    def test_its_list_tunes(self):
        self.succeed("shapes", "from-model", self.model(), "--m", "2", "-o", "list.csv")
        self.tune("-i", "list.csv", "-o", "tuned.csv", "--in-process")
        tuned, listed = ({row["problem"] for row in self.rows(name)} for name in ("tuned.csv", "list.csv"))
        self.assertEqual(tuned, listed)

    def test_what_cannot_be_is_said(self):
        dense = self.model(gguf_files.DENSE, "dense.gguf")
        result = self.succeed("shapes", "from-model", dense, "--m", "1")
        self.assertIn("Q4_K: 1 tensors are not listed, since no format here has their blocks", result.stderr)
        self.assertIn("token_embd(tied)[tp1]", result.stdout)
        for code, message, arguments in (
            (2, "--tp 3 does not divide llama.attention.head_count = 4", (dense, "--m", "1", "--tp", "3")),
            (2, "--ep 2: dense.gguf has no experts", (dense, "--m", "1", "--ep", "2")),
            (2, "--format q9: expected one of a16w16", (dense, "--m", "1", "--format", "q9")),
            (3, "cut.gguf: byte 16: found 14 as the number of tensors, more than fit into the 41 bytes that are left", ("cut.gguf", "--m", "1")),
            (3, "no.gguf: found 'M,N,', expected a file that begins with 'GGUF'", ("no.gguf", "--m", "1")),
            (3, "absent.gguf: ", ("absent.gguf", "--m", "1")),
            (3, "found 4 models, expected one: name one of them, such as ./cut.gguf", (".", "--m", "1")),
            (2, "m.gguf", ("m.gguf", "--m", "1", "-o", "m.gguf")),
        ):
            self.model()
            self.model(gguf_files.MOE[:57], "cut.gguf")
            self.write("no.gguf", "M,N,K\n")
            with self.subTest(message=message):
                self.assertIn(message, self.fail_with(code, "shapes", "from-model", *arguments).stderr)
        self.assertEqual((self.folder / "m.gguf").read_bytes(), gguf_files.MOE)


class FromLog(CommandTest):
    def test_files_of_tunable_op(self):
        self.write("untuned0.csv", "GemmTunableOp_BFloat16_TN,tn_256_37_64_ld_64_64_256\nOther_TN,tn_1\n")
        result = self.fail_with(1, "shapes", "from-log", "untuned0.csv", "-o", "list.csv")
        self.assertIn("untuned0.csv:2:1: found 'Other_TN,tn_1', expected", result.stderr)
        self.assertEqual([row["problem"] for row in self.rows("list.csv")], ["37x256x64:bf16:bf16:bf16"])
        self.write("else.csv", "M,N,K\n")
        self.fail_with(3, "shapes", "from-log", "else.csv")


class FromCapture(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("capture.csv", CAPTURE)

    def test_weights_are_time_saved(self):
        result = self.succeed("shapes", "from-capture", "capture.csv", "-o", "list.csv")
        self.assertIn("1007 calls captured; 900 of them, of 1 problems, run kernels that tuning would not improve\n", result.stderr)
        rows = self.rows("list.csv")
        self.assertEqual([row["M"] for row in rows], ["20", "40"])
        self.assertEqual(rows[0]["weight"], "50")

    def test_files_are_added_up_and_the_heaviest_kept(self):
        self.succeed("shapes", "from-capture", "capture.csv", "capture.csv", "--top", "1", "-o", "list.csv")
        self.assertEqual([row["weight"] for row in self.rows("list.csv")], ["100"])

    def test_a_table_settles_what_it_has(self):
        self.write("a8w8_tuned.csv", "cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
                                     "304,20,64,128,torch.int8,1,0,5.0,k,0,0,0\n")
        self.succeed("shapes", "from-capture", "--table", "a8w8_tuned.csv", "capture.csv", "-o", "list.csv")
        self.assertEqual([row["M"] for row in self.rows("list.csv")], ["30", "40"])  # the exact row of M = 30 is gone

    def test_a_capture_is_a_shape_list(self):
        result = self.succeed("shapes", "stats", "capture.csv")
        self.assertIn("3 shapes of 2 layers, weight 1007\n", result.stdout)

    def test_another_kind_of_file(self):
        self.write("list.csv", "M,N,K\n1,2,3\n")
        result = self.fail_with(3, "shapes", "from-capture", "list.csv")
        self.assertIn("gemmtune: list.csv:1:1: found columns M,N,K, expected those of a capture", result.stderr)


class SplitAndStats(CommandTest):
    def test_parts_are_the_list(self):
        lines = [f"{m},{n},8192" for m in (1, 64, 512, 8192) for n in (128, 8192)] + ["no shape"]
        self.write("bf16.csv", "M,N,K\n" + "\n".join(lines) + "\n")
        self.succeed("shapes", "split", "3", "bf16.csv")
        parts = [self.read(f"bf16-{i}-of-3.csv").splitlines() for i in (1, 2, 3)]
        self.assertTrue(all(part[0] == "M,N,K" for part in parts))
        self.assertEqual(sorted(sum((part[1:] for part in parts), [])), sorted(lines))
        self.succeed("shapes", "split", "3", "bf16.csv", "-o", "again")
        self.assertEqual(self.read("again-2-of-3.csv").splitlines(), parts[1])

    def test_counts_as_json(self):
        self.write("bf16.csv", "M,N,K,weight\n1,64,128,2\n8,64,128,1\nx,1,1,1\n")
        result = self.succeed("shapes", "stats", "bf16.csv", "--json")
        stats = json.loads(result.stdout)
        self.assertEqual((stats["shapes"], stats["rejected"], stats["weight"]), (2, 1, 3))
        self.assertEqual(stats["layers"][0]["m_high"], 8)
        self.assertEqual(result.stderr, "bf16.csv:4:1: M: found 'x', expected a whole number above 0\n")

    def test_times_are_those_of_this_machine_until_its_roofline_is_known(self):
        self.write("bf16.csv", "M,N,K\n64,512,512\n")
        os.environ["GEMMTUNE_CACHE"] = str(self.folder)
        self.addCleanup(os.environ.pop, "GEMMTUNE_CACHE")
        (self.folder / "rooflines").mkdir()
        guessed = self.succeed("shapes", "stats", "bf16.csv", "--device", "cpu").stdout
        self.assertRegex(guessed, r"\non cpu:0, .*: all calls take at least [\d.]+ us; about .* to tune\n  \(by what such devices")
        before = json.loads(self.succeed("shapes", "stats", "bf16.csv", "--device", "cpu", "--json").stdout)
        cpu = json.loads(self.succeed("devices", "--json").stdout)[0]
        name = "".join(c.lower() if c.isalnum() else "-" for c in cpu["name"])
        peak = {"tflops": 1e-6, "problem": "8x8x8:bf16:bf16:bf16", "kernel": "k", "date": "2026-11-29T00:00:00Z"}
        self.write(f"rooflines/{name}_{cpu['arch']}_{cpu['cu_num']}.json", json.dumps(
            {"version": 1, "device": cpu["name"], "gfx": cpu["arch"], "cu_num": cpu["cu_num"], "driver": cpu["driver"],
             "date": "2026-11-29T00:00:00Z", "copy_gbps": 10, "peaks": {"bf16": peak}}))
        after = json.loads(self.succeed("shapes", "stats", "bf16.csv", "--device", "cpu", "--json").stdout)
        self.assertEqual((before["rates"], after["rates"]), ("usual", "roofline"))
        self.assertAlmostEqual(after["least_us"], 2 * 64 * 512 * 512)
        self.assertGreater(after["tuning_seconds"], before["tuning_seconds"])

    def test_parts_must_be_some(self):
        self.write("bf16.csv", "M,N,K\n")
        self.fail_with(2, "shapes", "split", "0", "bf16.csv")


if __name__ == "__main__":
    main()
