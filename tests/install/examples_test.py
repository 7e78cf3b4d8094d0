#!/usr/bin/env python3
"""Installs the library into a temporary folder and builds and runs the examples there.

usage: examples_test.py CMAKE BUILD CXX_COMPILER SANITIZERS
"""
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SANITIZERS, CXX, BUILD, CMAKE = (sys.argv.pop() for _ in range(4))
FLAGS = f"-fsanitize={SANITIZERS}" if SANITIZERS else ""
CC = shutil.which(CXX.replace("clang++", "clang").replace("g++", "gcc").replace("c++", "cc")) or "cc"
TABLE = (
    "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
    "gfx950,256,16,512,4096,21,0,5.5,kernel_16,,,\n"
    "gfx950,256,64,512,4096,21,0,6.5,kernel_64,,,\n"
)
A16W16_HEADER = (
    "gfx,cu_num,M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle,libtype,solidx,splitK,us,kernelName,err_ratio,tflops,bw\n"
)


def gguf_layer():
    """A GGUF file with a matrix of each type of blocks, 64 x 96, and two experts; the bits are random."""
    random.seed(1)
    kinds = (("q4", 2, 18, (96, 64)), ("q8", 8, 34, (96, 64)), ("fp4", 39, 17, (96, 64)), ("fp4_exps", 39, 17, (96, 64, 2)))
    data, tensors = b"", b""
    for name, kind, size, shape in kinds:
        scale = bytes([random.randrange(120, 125)]) if kind == 39 else struct.pack("<e", random.uniform(0.01, 0.02))
        count = 3 * 64 * (shape[2] if len(shape) > 2 else 1)
        text = f"blk.3.{name}.weight".encode()
        tensors += struct.pack(f"<Q{len(text)}sI{len(shape)}QIQ", len(text), text, len(shape), *shape, kind, len(data))
        data += b"".join(scale + random.randbytes(size - len(scale)) for _ in range(count))
        data += bytes(-len(data) % 32)
    key = b"gpt-oss.expert_used_count"
    header = b"GGUF" + struct.pack(f"<IQQQ{len(key)}sII", 3, len(kinds), 1, len(key), key, 4, 1) + tensors
    return header + bytes(-len(header) % 32) + data


def run(*command, **variables):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, env={**os.environ, **variables})
    return result.returncode, result.stdout, result.stderr


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.holder.name)
        cls.prefix = cls.folder / "prefix"
        cls.table = cls.folder / "a4w4_tuned_gemm.csv"
        cls.table.write_text(TABLE)
        for component in ("dispatch", "runtime"):
            code, _, errors = run(CMAKE, "--install", BUILD, "--prefix", cls.prefix, "--component", component)
            assert code == 0, errors

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def build(self, example):
        target = self.folder / example
        configure = [CMAKE, "-S", ROOT / "examples" / example, "-B", target, f"-DCMAKE_PREFIX_PATH={self.prefix}"]
        configure += [f"-DCMAKE_CXX_COMPILER={CXX}", f"-DCMAKE_C_COMPILER={CC}"]
        configure += [f"-DCMAKE_C_FLAGS={FLAGS} -Wall -Wextra -Werror", f"-DCMAKE_CXX_FLAGS={FLAGS} -Wall -Wextra -Werror"]
        for command in (configure, [CMAKE, "--build", target]):
            code, output, errors = run(*command)
            self.assertEqual(code, 0, output + errors)
        return target / example.replace("-", "_")

    def test_in_c(self):
        program = self.build("dispatch-c")
        code, output, errors = run(program, self.table, "gfx950", "256", "512", "4096", "a4w4")
        self.assertEqual(code, 0, errors)
        lines = output.splitlines()
        self.assertEqual(lines[0], f"M = 1      padded_fine     kernel_16, 5.5 us, {self.table}:2")
        self.assertEqual(lines[2], f"M = 16     exact           kernel_16, 5.5 us, {self.table}:2")
        self.assertTrue(lines[-1].startswith("M = 16384  fallback       no row: call asm, which chooses the kernel itself (rule: "), lines[-1])

    def test_failures_in_c_have_a_message(self):
        program = self.build("dispatch-c")
        code, _, errors = run(program, "/nowhere/a4w4.csv", "gfx950", "256", "512", "4096", "a4w4")
        self.assertEqual((code, errors), (1, "dispatch_c: /nowhere/a4w4.csv: No such file or directory\n"))
        code, _, errors = run(program, self.table, "gfx950", "256", "512", "x", "a4w4")
        self.assertEqual(code, 1)
        self.assertIn("problem '1x512xx:a4w4', column 1", errors)

    def test_in_cpp(self):
        program = self.build("dispatch-cpp")
        code, output, errors = run(program, "gfx950", "256", "60x512x4096:a4w4", GEMMTUNE_CONFIG_A4W4=str(self.table))
        self.assertEqual(code, 0, errors)
        self.assertIn("60x512x4096:a4w4: kernel_64\n", output)
        self.assertIn(f"padded_fine    M = 64: {self.table}:3: kernel_64, 6.5 us\n", output)

    def test_failures_in_cpp_are_exceptions(self):
        program = self.build("dispatch-cpp")
        code, _, errors = run(program, "gfx950", "256", "8x8x8:a4w4", GEMMTUNE_CONFIG_A4W4="/nowhere.csv")
        self.assertEqual((code, errors), (1, "dispatch_cpp: GEMMTUNE_CONFIG_A4W4: none of its files exists: /nowhere.csv\n"))

    @unittest.skipUnless(shutil.which("pkg-config"), "there is no pkg-config")
    def test_with_pkg_config(self):
        folder = next(self.prefix.rglob("gemmtune-dispatch.pc")).parent
        code, flags, errors = run("pkg-config", "--cflags", "--libs", "gemmtune-dispatch", PKG_CONFIG_PATH=str(folder))
        self.assertEqual(code, 0, errors)
        program = self.folder / "by_pkg_config"
        source = ROOT / "examples" / "dispatch-c" / "main.c"
        code, _, errors = run(CC, *FLAGS.split(), source, *flags.split(), "-o", program)
        self.assertEqual(code, 0, errors)
        code, output, errors = run(program, self.table, "gfx950", "256", "512", "4096", "a4w4", LD_LIBRARY_PATH=str(folder.parent))
        self.assertIn("kernel_64", output, errors)

    def test_the_runtime_in_c(self):
        program = self.build("runtime-c")
        table = self.folder / "a16w16_tuned_gemm.csv"
        table.write_text(A16W16_HEADER)
        code, output, errors = run(program, table, "20x30x40")
        self.assertEqual(code, 0, errors)
        kernel, error = output.splitlines()
        self.assertRegex(kernel, r"^onednn_\w+ \(M = 0\), \d+ bytes of workspace$")
        self.assertEqual(error, "largest error: 0")
        code, _, errors = run(program, "/nowhere/a16w16_tuned.csv", "20x30x40")
        self.assertEqual((code, errors), (1, "runtime_c: /nowhere/a16w16_tuned.csv: No such file or directory\n"))

    def test_the_runtime_in_cpp_runs_the_tables_kernel(self):
        program = self.build("runtime-cpp")
        device = self.device()
        table = self.folder / "rows_a16w16_tuned_gemm.csv"
        row = "{gfx},{cu_num},16,24,64,False,torch.float32,torch.float32,False,True,openblas,-1,0,5,openblas_f32_nn_t1,0,1,1\n"
        table.write_text(A16W16_HEADER + row.format(**device))
        code, output, errors = run(program, "24", "64", "16", "500", GEMMTUNE_CONFIG_A16W16=str(table), GEMMTUNE_SUMMARY="1")
        self.assertEqual(code, 0, errors)
        lines = output.splitlines()
        self.assertEqual(lines[0], "M = 16    tuned          openblas_f32_nn_t1", output)
        self.assertTrue(lines[1].startswith("M = 500   default        "), output)
        self.assertEqual(lines[2], "largest error: 0")
        self.assertIn("gemmtune: plans: 1 exact, 0 padded, 0 nearest, 1 fallback", errors)

    def test_online_tuning_in_cpp_goes_on_without_a_tuner(self):
        program = self.build("online-cpp")
        table = self.folder / "not_there_yet.csv"
        code, output, errors = run(program, "0.2", "8x16x32", GEMMTUNE_CONFIG_A16W16=str(table), GEMMTUNE_RELOAD_INTERVAL="0.05")
        self.assertEqual((code, errors), (1, f"gemmtune: {table} does not exist yet\n"))
        self.assertRegex(output, r"^8x16x32:f32:f32:f32: fallback: onednn_.*\ntime is over\n$")

    def test_a_layer_of_a_gguf_file(self):
        program = self.build("gguf-cpp")
        model = self.folder / "model.gguf"
        model.write_bytes(gguf_layer())
        code, output, errors = run(program, model, "3", "1", "5")
        self.assertEqual(code, 0, output + errors)
        lines = [line.split("\t") for line in output.splitlines()]
        self.assertEqual([(line[1], line[3]) for line in lines],
                         [("Q4_0", "1x64x96 x 1"), ("Q8_0", "1x64x96 x 1"), ("MXFP4", "1x64x96 x 1"), ("MXFP4", "1x64x96 x 1"),
                          ("Q4_0", "5x64x96 x 1"), ("Q8_0", "5x64x96 x 1"), ("MXFP4", "5x64x96 x 1"), ("MXFP4", "3x64x96 x 2")])
        for line in lines:
            error = float(line[6].split()[1])
            self.assertTrue(0 < error < 0.02, line)  # of activations in 8 bits
        model.write_bytes(model.read_bytes()[:-32])
        code, _, errors = run(program, model, "3", "1")
        self.assertEqual((code, errors), (1, f"gguf_cpp: {model}: it ends before the data of blk.3.fp4_exps.weight\n"))

    def device(self):
        """The CPU as tables name it, from the program of this build."""
        code, output, errors = run(pathlib.Path(BUILD) / "bin" / "gemmtune", "devices", "--json")
        self.assertEqual(code, 0, errors)
        cpu = json.loads(output)[0]
        return {"gfx": cpu["arch"], "cu_num": cpu["cu_num"]}

    @unittest.skipUnless(shutil.which("pkg-config"), "there is no pkg-config")
    def test_the_runtime_with_pkg_config(self):
        folder = next(self.prefix.rglob("gemmtune-runtime.pc")).parent
        code, flags, errors = run("pkg-config", "--cflags", "--libs", "gemmtune-runtime", PKG_CONFIG_PATH=str(folder))
        self.assertEqual(code, 0, errors)
        program = self.folder / "runtime_by_pkg_config"
        code, _, errors = run(CC, *FLAGS.split(), ROOT / "examples" / "runtime-c" / "main.c", *flags.split(), "-o", program)
        self.assertEqual(code, 0, errors)
        code, output, errors = run(program, "", "3x4x5", LD_LIBRARY_PATH=str(folder.parent))
        self.assertIn("largest error: 0", output, errors)

    def test_nothing_but_the_interfaces_is_exported(self):
        for name, function in (("libgemmtune_dispatch.so", "gemmtune_lookup"), ("libgemmtune.so", "gemmtune_launch")):
            library = next(self.prefix.rglob(name))
            code, symbols, errors = run("nm", "-D", "--defined-only", library)
            self.assertEqual(code, 0, errors)
            names = [line.split()[-1] for line in symbols.splitlines()]
            self.assertIn(function, names)
            ours = [name for name in names if "gemmtune" in name and not name.startswith("gemmtune_")]
            self.assertEqual(ours, [])


if __name__ == "__main__":
    unittest.main()
