#!/usr/bin/env python3
"""Types every command of the table in docs/coming-from-aiter.md, in its order and in one folder, and looks for what the
table says that it prints."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "coming-from-aiter.md"
HEADING = "## What each command prints"
MODEL = {"model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4,
         "num_key_value_heads": 2, "num_hidden_layers": 3, "vocab_size": 96, "torch_dtype": "float32"}
TUNED = "cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
BF16 = "M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle\n"
FILES = {
    "shapes.csv": "M,N,K\n16,64,64\n32,64,64\n",
    "model/config.json": json.dumps(MODEL),
    "new.csv": TUNED + "256,16,64,64,21,0,4.0,_ZN5aiter41f4gemm_bf16_per1x32Fp4_BpreShuffle_32x128E,0.03,2.05,0.0\n",
    "aiter/configs/a4w4_blockscale_tuned_gemm.csv":
        TUNED + "256,16,64,64,3,0,5.0,a4w4_blockscale_256x64x128x128_16x16_16x16,0.03,1.64,0.0\n"
                "256,32,64,64,3,0,6.0,a4w4_blockscale_256x64x128x128_16x16_16x16,0.04,2.05,0.0\n",
    "aiter/configs/a4w4_blockscale_untuned_gemm.csv": "M,N,K\n16,64,64\n",
    "aiter/configs/bf16_untuned_gemm.csv": BF16 + "8,64,64,False,torch.float32,torch.float32,False,False\n",
    "f4gemm_bf16_per1x32Fp4.csv": "tile_M,tile_N,splitK,bpreshuffle,knl_name,co_name\n"
                                  "32,128,0,1,_ZN5aiter41f4gemm_bf16_per1x32Fp4_BpreShuffle_32x128E,x.co\n",
    "results/fp4_profile_shapes.csv":
        TUNED + "256,16384,16384,32768,50,0,2975.2,f4gemm_bf16_per1x32Fp4_BpreShuffle_256x256,0,0,0.0\n"
                "256,16384,16384,32768,3,0,3480.7,a4w4_blockscale_256x64x128x128,0,0,0.0\n",
    "results/fp4_triton_gluon_bench.csv": "M,N,K,triton_tflops,triton_us,gluon_tflops,gluon_us\n"
                                          "16384,16384,32768,3477.0,5059.4,3384.0,5198.4\n",
    "run_n1.log": "M=16 N=64 K=64\nKeyError: 'tile_m'\nThis GEMM is not supported!\n",
}


def rows():
    """(command, what it prints) of each line of the table."""
    table = PAGE.read_text(encoding="utf-8").split(HEADING)[1].split("\n## ")[0]
    for line in table.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]
        commands = re.findall(r"`([^`]+)`", cells[2]) if len(cells) > 4 else []
        if commands and "gemmtune " in commands[0] and not cells[3].startswith("on a GPU"):
            yield commands[0], cells[3].replace("\\|", "|")


class Guides(unittest.TestCase):
    def test_what_each_command_prints(self):
        program = pathlib.Path(sys.argv[1]).resolve()
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("AITER_", "GEMMTUNE_", "GPU_ARCHS", "CU_NUM"))}
        with tempfile.TemporaryDirectory() as folder:
            for name, text in FILES.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            variables = clean | {"PATH": f"{program.parent}:{clean['PATH']}", "HOME": folder, "XDG_CACHE_HOME": folder + "/cache"}
            typed = 0
            for command, prints in rows():
                result = subprocess.run(["sh", "-c", command], cwd=folder, env=variables, stdin=subprocess.DEVNULL,
                                        capture_output=True, text=True, timeout=120, check=False)
                shown = f"$ {command}\n{result.stdout}{result.stderr}exit code {result.returncode}"
                code = re.search(r"exit code (\d+)", prints)
                self.assertEqual(result.returncode, int(code[1]) if code else 0, shown)
                for words in re.findall(r"`([^`]+)`", prints):
                    self.assertIn(words, result.stdout + result.stderr, shown)
                typed += 1
            self.assertGreater(typed, 20)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
