#!/usr/bin/env python3
"""gemmtune table coverage: a workload compared with tables."""
import json

from harness import CommandTest, main

TABLE = """gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio
gfx950,256,1,512,4096,21,0,5.0,k1,0.84,210.33,0.0
gfx950,256,64,512,4096,21,0,8.0,k64,33.55,155.65,0.0
gfx950,256,128,512,4096,21,0,10.0,k128,53.69,144.18,0.0
"""
SHAPES = "M,N,K,weight\n64,512,4096,97\n96,512,4096,2\n64,1024,4096,1\n"


class Coverage(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("a4w4_tuned.csv", TABLE)
        self.write("a4w4_shapes.csv", SHAPES)

    def coverage(self, *arguments):
        return self.succeed("table", "coverage", "--shapes", "a4w4_shapes.csv", "a4w4_tuned.csv", *arguments).stdout

    def test_each_shape_once(self):
        matches = json.loads(self.coverage("--json"))["matches"]
        self.assertEqual([matches[kind]["calls"] for kind in ("exact", "padded_fine", "padded_coarse", "nearest", "fallback")],
                         [1, 0, 1, 0, 1])

    def test_by_calls(self):
        found = json.loads(self.coverage("--json", "--weights", "--default-slowdown", "2"))
        self.assertEqual(found["matches"]["exact"], {"shapes": 1, "calls": 97, "now_us": 776, "estimated_gain_us": 0})
        self.assertEqual(found["matches"]["padded_coarse"]["estimated_gain_us"], 2)
        first = found["problems"][0]
        self.assertEqual((first["match"], first["problem"][:12]), ("fallback", "64x1024x4096"))
        self.assertAlmostEqual(first["now_us"], 2 * first["estimated_gain_us"])

    def test_text(self):
        text = self.coverage("--weights")
        self.assertIn("a4w4_shapes.csv on gfx950 with 256 units\n", text)
        self.assertRegex(text, r"\nexact +1 +97 +97\.0 % +0\.8 +0\.0\n")
        self.assertIn("Worth tuning first:", text)
        self.assertIn("padded_coarse M=128", text)
        self.assertIn("Gains are estimates", text)

    def test_the_device_must_be_clear(self):
        self.write("more_a4w4.csv", TABLE.replace("gfx950,256", "gfx942,304"))
        arguments = ("table", "coverage", "--shapes", "a4w4_shapes.csv", "a4w4_tuned.csv:more_a4w4.csv")
        self.assertIn("--gfx gfx942 --cu-num 304", self.fail_with(2, *arguments).stderr)
        self.succeed(*arguments, "--gfx", "gfx942", "--cu-num", "304")

    def test_bad_input(self):
        self.fail_with(2, "table", "coverage", "a4w4_tuned.csv")
        self.fail_with(3, "table", "coverage", "--shapes", "none.csv", "a4w4_tuned.csv")


if __name__ == "__main__":
    main()
