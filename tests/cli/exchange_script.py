#!/usr/bin/env python3
"""Other tools' files, in and out: gemmtune table import, table export and shapes from-log."""
import glob
import json
import os
import pathlib
import shutil
import stat

from harness import CommandTest, main

DATA = pathlib.Path(__file__).resolve().parents[1] / "data" / "exchange"
COLUMNS = "gfx,cu_num,M,N,K,problem,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio,library\n"
CUBLASLT = "cublaslt_a66_t128x256_s64xauto_k1_r0_z0_o3_i0_c2x1_f0_w32_v130401"
BLOCKS = "e4m3/1x128:e4m3/128x128:bf16"
AMD = ("--gfx", "gfx942", "--cu-num", "304")


class Exchange(CommandTest):
    def data(self, name):
        shutil.copy(DATA / name, self.folder / name)
        return name

    def table(self, name, rows):
        text = COLUMNS
        for problem, libtype, kernel_id, us, kernel, library in rows:
            m, n, k = problem.split(":")[0].split("x")
            text += f"sm90,132,{m},{n},{k},{problem},{libtype},{kernel_id},0,{us},{kernel},0,0,0,{library}\n"
        return self.write(name, text)

    def knows_cublaslt(self):
        return "cublaslt" in self.succeed("families").stdout

    def lines(self, name):
        return self.read(name).splitlines()


class Imports(Exchange):
    def test_results_of_tunable_op(self):
        results = self.data("tunableop_results0.csv")
        self.assertIn("Add --cu-num", self.fail_with(2, "table", "import", results).stderr)
        self.succeed("table", "import", results, "--cu-num", "132", "-o", "t.csv")
        rows = {row["problem"]: row for row in self.rows("t.csv")}
        self.assertEqual(set(rows), {"37x256x7168:bf16:bf16:bf16", "8x512x1024:f16:f16:f16:bias",
                                     "37x256x7168:e4m3/row:e4m3/row:bf16"})
        plain = rows["37x256x7168:bf16:bf16:bf16"]
        self.assertEqual((plain["gfx"], plain["libtype"], plain["us"], plain["library"]),
                         ("sm90", "cublaslt", "12.3", "cublaslt 130401"))
        self.assertEqual(rows["8x512x1024:f16:f16:f16:bias"]["libtype"], "torch")
        if self.knows_cublaslt():
            self.assertEqual(plain["kernelName"], CUBLASLT)
            self.assertIn("_f1_w32_v130401", rows["37x256x7168:e4m3/row:e4m3/row:bf16"]["kernelName"])
        self.assertIn("exact", self.succeed("lookup", "-t", "t.csv", "--gfx", "sm90", "--cu-num", "132",
                                            "37x256x7168:bf16:bf16:bf16").stdout)

    def test_results_of_amds_libraries(self):
        self.assertIn("Add --gfx and --cu-num", self.fail_with(2, "table", "import", self.data("hipblaslt_tuning.txt")).stderr)
        result = self.fail_with(1, "table", "import", "hipblaslt_tuning.txt", *AMD, "-o", "h.csv")
        self.assertIn("hipblaslt_tuning.txt:6:1: left out: grouped_gemm", result.stderr)
        first = self.rows("h.csv")[0]
        self.assertEqual((first["libtype"], first["kernelId"], first["us"], first["library"], first["kernelName"]),
                         ("hipblaslt", "56537", "17.1", "hipblaslt 8a41deb608", "Cijk_Alik_Bljk_BBS_BH_MT16x16x256"))
        self.succeed("table", "import", self.data("rocblas_tuning.csv"), *AMD, "-o", "r.csv")
        self.assertEqual([row["kernelId"] for row in self.rows("r.csv")], ["-4190", "77"])
        self.succeed("table", "import", self.data("tunableop_rocm.csv"), "--cu-num", "304", "-o", "t.csv")
        self.assertEqual([(row["gfx"], row["libtype"], row["library"]) for row in self.rows("t.csv")],
                         [("gfx942", "hipblaslt", "hipblaslt 100202-8a41deb608"),
                          ("gfx942", "rocblas", "rocblas 5.2.0.8a41deb608"), ("gfx942", "torch", "")])

    def test_what_holds_no_results(self):
        self.assertIn("a log says only shapes", self.fail_with(3, "table", "import", self.data("cublaslt.log")).stderr)
        self.data("tunableop_untuned0.csv")
        self.assertIn("no results", self.fail_with(3, "table", "import", "tunableop_untuned0.csv", "--gfx", "sm90",
                                                   "--cu-num", "132").stderr)
        self.write("x.csv", "M,N,K\n1,2,3\n")
        self.assertIn("expected a file of PyTorch's", self.fail_with(3, "table", "import", "x.csv").stderr)


class Servers(Exchange):
    def test_configurations_go_from_one_server_to_the_other(self):
        names = [path.name for path in DATA.glob("*.json")]
        self.assertEqual(len(names), 2)
        for name in names:
            self.data(name)
        result = self.fail_with(1, "table", "import", *names, "-o", "t.csv")
        self.assertIn("4096: null, no configuration", result.stderr)
        self.succeed("table", "export", "t.csv", "--as", "vllm", "-o", "v")
        self.assertEqual(sorted(path.name for path in (self.folder / "v").glob("*.json")),
                         sorted(name.replace("[128, 128]", "[128,128]") for name in names))
        self.assertIn("VLLM_TUNED_CONFIG_FOLDER=", self.read("v/config.env"))
        self.succeed("table", "import", *sorted(glob.glob(str(self.folder / "v" / "*.json"))), "-o", "back.csv")
        self.succeed("table", "export", "back.csv", "--as", "sglang", "-o", "s")
        for name in names:
            folder = "s/configs/triton_3_5_1/" if name.startswith("E=") else "s/"
            before = {key: value for key, value in json.loads((DATA / name).read_text()).items()
                      if isinstance(value, dict)}
            self.assertEqual(json.loads(self.read(folder + name)), before)

    def test_rows_of_triton_become_configurations(self):
        self.table("t.csv", [(f"64x512x1024:{BLOCKS}", "triton", -1, 4.5, "triton_bm64_bn128_bk128_g8_w4_s3_k1", ""),
                             (f"16x512x1024:{BLOCKS}", "triton", -1, 3.5, "triton_bm16_bn128_bk128_g1_w4_s3_k4", ""),
                             ("16x512x1024:bf16:bf16:bf16", "cublaslt", 66, 3.5, CUBLASLT, "")])
        self.assertIn("--device-name", self.fail_with(2, "table", "export", "t.csv", "--as", "vllm", "-o", "v").stderr)
        result = self.succeed("table", "export", "t.csv", "--as", "sglang", "--device-name", "NVIDIA H200 NVL", "-o", "v")
        self.assertIn("1 row left out: the servers' kernel does not split K", result.stderr)
        self.assertIn("1 row left out: the servers read files only for FP8 with blocks of 128", result.stderr)
        name = "v/N=512,K=1024,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128, 128].json"
        self.assertEqual(json.loads(self.read(name)),
                         {"64": {"BLOCK_SIZE_M": 64, "BLOCK_SIZE_N": 128, "BLOCK_SIZE_K": 128, "GROUP_SIZE_M": 8,
                                 "num_warps": 4, "num_stages": 3}})


class TunableOp(Exchange):
    def setUp(self):
        super().setUp()
        self.data("tunableop_results0.csv")

    def python(self, body):
        self.write("python", "#!/bin/sh\n" + body)
        path = self.folder / "python"
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def test_what_pytorch_wrote_is_written_again(self):
        if not self.knows_cublaslt():
            self.skipTest("this build has no cuBLASLt")
        self.succeed("table", "import", "tunableop_results0.csv", "--cu-num", "132", "-o", "t.csv")
        self.succeed("table", "export", "t.csv", "--as", "tunableop", "--like", "tunableop_results0.csv", "-o", "out.csv",
                     "--devices", "2")
        self.assertEqual(sorted(self.lines("out0.csv")), sorted((DATA / "tunableop_results0.csv").read_text().splitlines()))
        self.assertEqual(self.read("out0.csv"), self.read("out1.csv"))
        variables = dict(line.split("=", 1) for line in self.lines("out.env"))
        self.assertEqual((variables["PYTORCH_TUNABLEOP_ENABLED"], variables["PYTORCH_TUNABLEOP_TUNING"]), ("1", "0"))
        self.assertEqual(os.path.realpath(variables["PYTORCH_TUNABLEOP_FILENAME"]),
                         os.path.realpath(self.folder / "out.csv"))
        self.assertEqual(variables["CUBLASLT_WORKSPACE_SIZE"], "32768")

    def test_only_what_pytorch_can_run(self):
        if not self.knows_cublaslt():
            self.skipTest("this build has no cuBLASLt")
        self.table("t.csv", [("16x256x7168:bf16:bf16:bf16", "cublaslt", 66, 9.5, CUBLASLT, ""),
                             ("32x256x7168:bf16:bf16:bf16", "cublaslt", 66, 9.9, CUBLASLT.replace("w32", "w256"), ""),
                             ("16x256x64:bf16:bf16:bf16", "cublaslt", 66, 9.9, CUBLASLT.replace("130401", "130100"), ""),
                             ("16x256x64:bf16:bf16:bf16:relu", "cublaslt", 66, 9.9, CUBLASLT, ""),
                             ("16x512x64:bf16:bf16:bf16", "triton", -1, 9.9, "triton_bm64_bn64_bk64_g1_w4_s2_k1", "")])
        self.assertIn("--python", self.fail_with(2, "table", "export", "t.csv", "--as", "tunableop", "-o", "o.csv").stderr)
        result = self.succeed("table", "export", "t.csv", "--as", "tunableop", "--like", "tunableop_results0.csv", "-o",
                              "o.csv", "--m", "1-20")
        rows = {line.split(",")[1]: line.split(",")[2] for line in self.lines("o0.csv") if not line.startswith("V")}
        self.assertEqual(set(rows), {f"tn_256_{m}_7168_ld_7168_7168_256" for m in [*range(1, 21), 32]})
        self.assertTrue(rows["tn_256_3_7168_ld_7168_7168_256"].startswith("Gemm_Cublaslt_id_66_tile_23_"))
        self.assertEqual(rows["tn_256_17_7168_ld_7168_7168_256"], "Default")
        self.assertIn("5 of them are Default, since their kernels may use more than 32 MiB of workspace", result.stderr)
        for reason in ("PyTorch has no kernels of triton", "PyTorch's key does not say the epilogue",
                       "they were tuned with version 130100 of the library, and PyTorch has 130401"):
            self.assertIn("1 row left out: " + reason, result.stderr)
        self.assertNotIn("*", self.read("o0.csv"))

    def test_validators_of_an_installed_pytorch(self):
        answer = "".join(f"echo '{line}'\n" for line in self.lines("tunableop_results0.csv") if line.startswith("V"))
        self.table("t.csv", [("8x512x1024:f16:f16:f16:bias", "torch", -1, 4.1, "Default", "")])
        self.succeed("table", "export", "t.csv", "--as", "tunableop", "--python", self.python(answer), "-o", "o.csv")
        self.assertEqual(self.lines("o0.csv")[:3], self.lines("tunableop_results0.csv")[:3])
        wrong = self.fail_with(3, "table", "export", "t.csv", "--as", "tunableop", "--python",
                               self.python("echo no module named torch >&2\nexit 1\n"), "-o", "p.csv")
        self.assertIn("did not say its validators (exited with 1): no module named torch", wrong.stderr)

    def test_on_rocm(self):
        self.data("tunableop_rocm.csv")
        self.succeed("table", "import", "tunableop_rocm.csv", "--cu-num", "304", "-o", "t.csv")
        self.succeed("table", "export", "t.csv", "--as", "tunableop", "--like", "tunableop_rocm.csv", "-o", "o.csv")
        self.assertEqual(sorted(self.lines("o0.csv")), sorted(self.lines("tunableop_rocm.csv")))
        self.assertNotIn("CUBLASLT", self.read("o.env"))
        newer = self.read("tunableop_rocm.csv").replace("100202", "100300")
        self.write("newer.csv", newer)
        result = self.succeed("table", "export", "t.csv", "--as", "tunableop", "--like", "newer.csv", "-o", "n.csv")
        self.assertIn("1 row left out: they do not say that their numbers are of hipblaslt 100300-8a41deb608", result.stderr)
        self.succeed("table", "export", "t.csv", "--as", "tunableop", "--like", "newer.csv", "-o", "n.csv", "--trust-ids")
        self.assertIn("Gemm_Hipblaslt_56537", self.read("n0.csv"))


class Hipblaslt(Exchange):
    def test_a_file_for_the_override(self):
        self.data("hipblaslt_tuning.txt")
        self.fail_with(1, "table", "import", "hipblaslt_tuning.txt", *AMD, "-o", "t.csv")
        self.succeed("table", "export", "t.csv", "--as", "hipblaslt", "--like", "hipblaslt_tuning.txt", "-o", "o.txt")
        self.assertEqual(self.lines("o.txt")[0], "Git Version: 8a41deb608")
        self.assertTrue(self.read("o.env").startswith("HIPBLASLT_TUNING_OVERRIDE_FILE="))
        self.succeed("table", "import", "o.txt", *AMD, "-o", "back.csv")
        self.assertEqual(sorted(self.lines("back.csv")), sorted(self.lines("t.csv")))

    def test_rows_of_aiter_do_not_say_the_build(self):
        self.write("bf16_tuned_gemm.csv",
                   "gfx,cu_num,M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle,libtype,solidx,splitK,us,kernelName,err_ratio,tflops,bw\n"
                   "gfx942,304,16,1280,8192,False,torch.bfloat16,torch.bfloat16,False,False,hipblaslt,56537,0,17.1,Cijk_x,0.0,0,0\n")
        self.data("hipblaslt_tuning.txt")
        command = ("table", "export", "bf16_tuned_gemm.csv", "--as", "hipblaslt", "--like", "hipblaslt_tuning.txt", "-o", "o.txt")
        self.assertIn("--trust-ids", self.fail_with(1, *command).stderr)
        self.succeed(*command, "--trust-ids")
        self.assertIn("T,N,0,1,1280,16,8192,", self.read("o.txt"))


class Lists(Exchange):
    def test_no_file_of_these_is_a_table(self):
        for path in DATA.iterdir():
            result = self.fail_with(1, "table", "lint", self.data(path.name))
            self.assertRegex(result.stdout, "error: unreadable: this is a .*, and no table: gemmtune table import")

    def test_shapes_of_all_files(self):
        files = [self.data(path.name) for path in sorted(DATA.iterdir()) if not path.name.startswith("E=")]
        result = self.fail_with(1, "shapes", "from-log", *files, "-o", "shapes.csv")
        self.assertIn("hipblaslt_bench.log:6:1: a_type: found 'f6_r', which is not known here", result.stderr)
        self.assertIn("cublaslt.log:6:1: order: found 'ORDER_ROW'", result.stderr)
        shapes = {row["problem"]: row["weight"] for row in self.rows("shapes.csv")}
        self.assertEqual(shapes["37x256x7168:bf16:bf16:bf16"], "4")
        self.assertIn("64x8192x1024:e4m3/tensor:e4m3/tensor:bf16", shapes)
        moe = self.data(next(path.name for path in DATA.glob("E=*")))
        self.assertIn("the file does not say K", self.fail_with(3, "shapes", "from-log", moe).stderr)


if __name__ == "__main__":
    main()
