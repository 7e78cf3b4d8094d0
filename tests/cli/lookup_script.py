#!/usr/bin/env python3
"""gemmtune lookup: levels, explanations, JSON, the environment, exit codes."""
import json
import os
import unittest.mock

from harness import CommandTest, main

HEADER = "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
NAME = "a4w4_tuned.csv"
DEVICE = ("--gfx", "gfx950", "--cu-num", "256")


class Lookup(CommandTest):
    def setUp(self):
        super().setUp()
        ours = ("GEMMTUNE_", "AITER_", "GPU_ARCHS", "CU_NUM")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        patch = unittest.mock.patch.dict(os.environ, clean, clear=True)
        patch.start()
        self.addCleanup(patch.stop)
        self.write(NAME, HEADER + "gfx950,256,128,512,4096,21,1,9.5,kernel_128,,,\n" + "gfx950,256,100,64,64,21,0,2,kernel_100,,,\n")

    def test_a_line_for_each_problem(self):
        result = self.succeed("lookup", "--table", NAME, *DEVICE, "128x512x4096:a4w4", "90x512x4096:a4w4")
        self.assertEqual(
            result.stdout,
            "128x512x4096:e2m1/1x32:e2m1/1x32:bf16:packed: exact: kernel_128, splitK 1, 9.5 us (tuned for M = 128, a4w4_tuned.csv:2)\n"
            "90x512x4096:e2m1/1x32:e2m1/1x32:bf16:packed: padded_coarse: kernel_128, splitK 1, 9.5 us (tuned for M = 128, a4w4_tuned.csv:2)\n",
        )

    def test_explains_each_level(self):
        text = self.succeed("lookup", "-t", NAME, *DEVICE, "--explain", "150x64x64:a4w4").stdout
        lines = [line.strip() for line in text.splitlines()]
        self.assertEqual(
            lines[1:],
            [
                "exact          M = 150: no row",
                "padded_fine    M = 160: no row",
                "padded_coarse  M = 256: no row",
                "nearest        within a factor of 2, M = 100: a4w4_tuned.csv:3: kernel_100, 2 us",
                "expected       3 us: the row's time for M = 150",
            ],
        )

    def test_json(self):
        found, missed = json.loads(self.fail_with(1, "lookup", "--json", "-t", NAME, *DEVICE, "150x64x64:a4w4", "8x8x8:a8w8").stdout)
        self.assertEqual((found["match"], found["tuned_m"], found["expected_us"], found["is_scaled"]), ("nearest", 100, 3.0, True))
        self.assertEqual((found["choice"]["source"], found["choice"]["line"]), (NAME, 3))
        self.assertIsNone(found["runner_up"])
        self.assertEqual((missed["match"], missed["choice"]["libtype"]), ("fallback", "ck"))
        explained = json.loads(self.succeed("lookup", "--json", "--explain", "-t", NAME, *DEVICE, "100x64x64:a4w4").stdout)
        self.assertEqual(len(explained[0]["explanation"]), 1)

    def test_the_bound_of_the_nearest(self):
        self.fail_with(1, "lookup", "-t", NAME, *DEVICE, "--nearest", "1", "150x64x64:a4w4")
        self.succeed("lookup", "-t", NAME, *DEVICE, "--nearest", "8", "800x64x64:a4w4")

    def test_tables_and_device_of_the_environment(self):
        os.environ.update(AITER_CONFIG_GEMM_A4W4=f"absent.csv:{NAME}", GPU_ARCHS="gfx950", CU_NUM="256")
        result = self.succeed("lookup", "128x512x4096:a4w4")
        self.assertEqual(result.stderr, "gemmtune: AITER_CONFIG_GEMM_A4W4: absent.csv does not exist and is left out\n")
        os.environ["GEMMTUNE_CONFIG_A4W4"] = "absent.csv"
        self.assertIn("GEMMTUNE_CONFIG_A4W4: none of its files exists", self.fail_with(3, "lookup", "128x512x4096:a4w4").stderr)
        self.succeed("lookup", "-t", NAME, "128x512x4096:a4w4")

    def test_a_device_of_this_machine(self):
        device = json.loads(self.succeed("devices", "--json").stdout)[0]
        self.write("bf16.csv", "gfx,cu_num,M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle,libtype,solidx,splitK,us,kernelName,err_ratio,tflops,bw\n"
                   f"{device['arch']},{device['cu_num']},8,64,64,False,torch.float32,torch.float32,False,False,cpu_tile,-1,0,5,mine,0,1,1\n")  # fmt: skip
        text = self.succeed("lookup", "-t", "bf16.csv", "--device", "cpu", "8x64x64:f32:f32:f32").stdout
        self.assertIn(": exact: cpu_tile mine, 5 us", text)
        self.assertIn("--device: there is no 'cpu:7'", self.fail_with(4, "lookup", "-t", NAME, "--device", "cpu:7", "8x8x8:a4w4").stderr)

    def test_an_empty_table_of_several_is_left_out(self):
        self.write("empty_a4w4.csv", "")
        result = self.succeed("lookup", "-t", f"{NAME}:empty_a4w4.csv", *DEVICE, "128x512x4096:a4w4")
        self.assertIn("empty_a4w4.csv: the file is empty, and is left out\n", result.stderr)

    def test_says_what_is_missing(self):
        self.assertIn("no tables: add --table", self.fail_with(2, "lookup", *DEVICE, "8x8x8:a4w4").stderr)
        which = self.fail_with(2, "lookup", "-t", NAME, "8x8x8:a4w4").stderr
        self.assertRegex(which, r"for which device\? This machine has --device \w+:0 \(.*\)\. The tables have rows for "
                                r"--gfx gfx950 --cu-num 256\n")
        self.assertNotIn("rows for it", which)
        cpu = json.loads(self.succeed("devices", "--json").stdout)[0]
        self.write("own_a4w4.csv", f"gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
                                   f"{cpu['arch']},{cpu['cu_num']},8,8,8,1,0,5,k,,,\n")
        own = self.fail_with(2, "lookup", "-t", "own_a4w4.csv", "8x8x8:a4w4").stderr
        self.assertIn(f"--device cpu:0 ({cpu['arch']}, {cpu['cu_num']} units: the tables have rows for it)", own)
        self.assertIn("column 1", self.fail_with(3, "lookup", "-t", NAME, *DEVICE, "8x8:a4w4").stderr)
        self.assertIn("nowhere.csv", self.fail_with(3, "lookup", "-t", "nowhere.csv", *DEVICE, "8x8x8:a4w4").stderr)

    def test_lines_that_serve_nothing_are_said(self):
        self.write(NAME, HEADER + "gfx950,256,x,512,4096,21,1,9.5,kernel_128,,,\n")
        result = self.fail_with(1, "lookup", "-t", NAME, *DEVICE, "128x512x4096:a4w4")
        self.assertIn("a4w4_tuned.csv: 1 lines cannot be used, the first: a4w4_tuned.csv:2:12: M: found 'x', expected a whole number above 0", result.stderr)


if __name__ == "__main__":
    main()
