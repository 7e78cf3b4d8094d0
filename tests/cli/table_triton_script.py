#!/usr/bin/env python3
"""gemmtune table triton: configuration files resolved, made from tables, and made into tables."""
import json

from harness import CommandTest, main

NAME = "gfx950-GEMM-A8W8-N=512-K=1024.json"
CONFIGS = """{
    "_note": "by hand",
    "M_LEQ_8": {
        "BLOCK_SIZE_M": 16,
        "BLOCK_SIZE_N": 32,
        "cache_modifier": ".cg"
    },
    "M_LEQ_320": {
        "BLOCK_SIZE_M": 64,
        "BLOCK_SIZE_N": 64
    },
    "any": {
        "BLOCK_SIZE_M": 128,
        "BLOCK_SIZE_N": 128,
        "cache_modifier": null
    }
}
"""
TABLE = """gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio
gfx950,256,8,512,1024,0,0,2.5,triton_bm16_bn32_w4,0,0,0.0
gfx950,256,8,512,1024,0,0,2.0,triton_bm16_bn64_w4,0,0,0.0
gfx950,256,64,512,1024,0,0,3.0,triton_bm64_bn64_w4,0,0,0.0
gfx950,256,64,512,1024,0,0,3.0,auto,0,0,0.0
"""


class Resolve(CommandTest):
    def test_which_key_serves(self):
        self.write(NAME, CONFIGS)
        result = self.succeed("table", "triton", "resolve", NAME, "--m", "5,100")
        self.assertEqual(result.stdout, f"{NAME}: keys are bounds\n"
                         "  M=5      M_LEQ_8: BLOCK_SIZE_M=16 BLOCK_SIZE_N=32 cache_modifier=.cg\n"
                         "  M=100    any (not tuned for it): BLOCK_SIZE_M=128 BLOCK_SIZE_N=128 cache_modifier=None\n")

    def test_in_the_categories_of_aiters_guide(self):
        rows = "".join(f"gfx942,304,{m},1024,1024,triton,{us},triton_bm{bm}_bn64_bk128_gm1_w4_s2\n"
                       for m, us, bm in ((16, 3, 16), (64, 4, 32), (256, 5, 64), (512, 6, 64), (4096, 9, 128)))
        self.write("t.csv", "gfx,cu_num,M,N,K,libtype,us,kernelName\n" + rows)
        self.succeed("table", "triton", "to-json", "t.csv", "--tag", "A8W8_BLOCKSCALE", "--keys", "categories", "-o", "out")
        made = json.loads(self.read("out/gfx942-GEMM-A8W8_BLOCKSCALE-N=1024-K=1024.json"))
        self.assertEqual(list(made), ["small", "medium_M64", "large", "xlarge", "any"])
        self.assertEqual(made["xlarge"]["BLOCK_SIZE_M"], 128)
        self.assertIn("expected bounds, sizes, categories or ranges", self.fail_with(
            2, "table", "triton", "to-json", "t.csv", "--tag", "A8W8", "--keys", "x", "-o", "o2").stderr)

    def test_which_keys_are_dead(self):
        self.write(NAME, CONFIGS)
        rows = json.loads(self.succeed("table", "triton", "resolve", NAME, "--json").stdout)
        self.assertEqual([row["reached"] for row in rows], [False, True, False, True])
        self.assertIn("320 is not one of the bounds", rows[2]["reason"])
        self.assertEqual((rows[3]["from"], rows[1]["to"]), (9, 8))

    def test_an_m_that_nothing_serves(self):
        self.write(NAME, '{"M_LEQ_8": {}}')
        self.assertIn("no key serves it", self.fail_with(1, "table", "triton", "resolve", NAME, "--m", "9").stdout)

    def test_bad_files(self):
        self.write("a.json", "{}")
        self.assertIn("a.json: its name is not that of a Triton configuration", self.fail_with(3, "table", "triton", "resolve", "a.json").stderr)
        self.write(NAME, '{"any": \n 1,}')
        self.assertIn(f"{NAME}:2:4: not JSON", self.fail_with(3, "table", "triton", "resolve", NAME).stderr)


class Convert(CommandTest):
    def test_a_table_becomes_files(self):
        self.write("a4w4.csv", TABLE)
        result = self.succeed("table", "triton", "to-json", "a4w4.csv", "-o", "out", "--tag", "AFP4WFP4")
        self.assertIn("a4w4.csv:5:32: left out: its kernel 'auto' says no Triton parameters", result.stderr)
        self.assertIn("a4w4.csv:2:12: left out: M=8 shares M_LEQ_8 with M=8 of a4w4.csv:3:12", result.stderr)
        files = sorted(path.name for path in (self.folder / "out").iterdir())
        self.assertEqual(files, ["gfx950-GEMM-AFP4WFP4-N=512-K=1024.json", "gfx950-GEMM-AFP4WFP4.json"])
        configs = json.loads(self.read(f"out/{files[0]}"))
        self.assertEqual(list(configs), ["M_LEQ_8", "M_LEQ_64", "any"])
        self.assertEqual(configs["M_LEQ_8"], {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 64, "num_warps": 4})
        self.assertEqual(self.read("a4w4.csv"), TABLE)

    def test_nothing_is_overwritten(self):
        self.write("a4w4.csv", TABLE)
        arguments = ("table", "triton", "to-json", "a4w4.csv", "-o", ".")
        (self.folder / "gfx950-GEMM-AFP4WFP4_PRESHUFFLED.json").write_text("{}")
        self.assertIn("is there already", self.fail_with(2, *arguments).stderr)
        self.assertEqual([path.name for path in self.folder.glob("*N=*")], [])
        self.write(NAME, CONFIGS)
        self.fail_with(2, "table", "triton", "from-json", NAME, "-o", NAME)
        self.assertEqual(self.read(NAME), CONFIGS)

    def test_files_become_a_table_and_files_again(self):
        self.write(NAME, CONFIGS)
        result = self.succeed("table", "triton", "from-json", NAME, "-o", "t.csv")
        self.assertIn(f"{NAME}: left out: _note is no configuration", result.stderr)
        self.assertEqual([(row["M"], row["bucket"]) for row in self.rows("t.csv")],
                         [("8", "M_LEQ_8"), ("", "M_LEQ_320"), ("9", "any")])
        self.succeed("table", "triton", "to-json", "t.csv", "-o", "out")
        expected = json.loads(CONFIGS)
        del expected["_note"]
        self.assertEqual(json.loads(self.read(f"out/{NAME}")), expected)

    def test_a_table_that_says_no_tag(self):
        self.write("t.csv", TABLE)
        self.assertIn("add --tag", self.fail_with(2, "table", "triton", "to-json", "t.csv", "-o", "out").stderr)


if __name__ == "__main__":
    main()
