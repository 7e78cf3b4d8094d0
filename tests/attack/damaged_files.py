#!/usr/bin/env python3
"""Gives the commands files that are damaged at random places: stores, logs, tables, configurations, recordings.

    damaged_files.py GEMMTUNE DATA_FOLDER COUNT [SEED]

A command may refuse its input (exit codes 1 to 5). It must not end by a signal, take longer than 20 seconds, or call its
failure an internal error.
"""
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import gguf_files  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
DATA = pathlib.Path(sys.argv[2])
COUNT = int(sys.argv[3])
HEADER = "M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle\n"
A4W4 = ("gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
        "gfx950,256,1,512,4096,21,0,5.4049,k1,0.78,194.57,0.0\ngfx950,256,64,512,4096,21,0,6.25,k2,42.9,190.1,0.0\n")
TRITON = '{"M_LEQ_64": {"BLOCK_SIZE_M": 64, "BLOCK_SIZE_N": 128}, "any": {"BLOCK_SIZE_M": 128, "BLOCK_SIZE_N": 128}}\n'
LOG = ("[aiter] shape is M:2095, N:2688, K:7168, not found tuned config in /tmp/aiter_configs/\n"
       "RuntimeError: CUDA error: an illegal memory access was encountered\n[1/2] tuned in 3.0 s\n")
CONFIG = ('{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 256, "intermediate_size": 512, '
          '"num_attention_heads": 4, "num_key_value_heads": 2, "num_hidden_layers": 2, "vocab_size": 1000, '
          '"torch_dtype": "bfloat16"}\n')


def inputs(folder):
    """Name, contents, and the commands that read it."""
    (folder / "list.csv").write_text(HEADER + "4,8,16,False,torch.float32,torch.float32,False,False\n")
    subprocess.run([PROGRAM, "tune", "--libtype", "cpu_reference", "-i", "list.csv", "-o", "tuned.csv", "--store",
                    "good.db"], cwd=folder, check=True, capture_output=True)
    with sqlite3.connect(folder / "good.db") as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    store = (folder / "good.db").read_bytes()
    for name in ("good.db-wal", "good.db-shm"):
        (folder / name).unlink(missing_ok=True)
    table = A4W4.encode()
    return [("damaged.db", store, [["store", "check", "damaged.db"], ["quarantine", "list", "--store", "damaged.db"],
                                   ["analyze", "damaged.db"], ["status", "damaged.db"],
                                   ["replay", "--trials", "damaged.db", "--repeats", "1", "--search", "screen"]]),
            ("a4w4_tuned.csv", table, [["table", "lint", "a4w4_tuned.csv"], ["table", "stats", "a4w4_tuned.csv"],
                                       ["table", "merge", "a4w4_tuned.csv", "good.csv"], ["analyze", "a4w4_tuned.csv"],
                                       ["lookup", "--table", "a4w4_tuned.csv", "--gfx", "gfx950", "--cu-num", "256",
                                        "1x512x4096:a4w4"]]),
            ("gfx950-GEMM-A8W8.json", TRITON.encode(), [["table", "lint", "gfx950-GEMM-A8W8.json"],
                                                        ["table", "triton", "resolve", "gfx950-GEMM-A8W8.json"]]),
            ("run.log", LOG.encode(), [["diagnose", "run.log"]]),
            ("config.json", CONFIG.encode(), [["shapes", "from-model", "config.json", "--m", "1"]]),
            ("model.gguf", gguf_files.MOE, [["shapes", "from-model", "model.gguf", "--m", "1"]]),
            ("list.csv", (folder / "list.csv").read_bytes(), [["shapes", "stats", "list.csv"]])]


def damaged(data):
    data = bytearray(data)
    for _ in range(random.randint(1, 8)):
        at = random.randrange(len(data)) if data else 0
        edit = random.randrange(5)
        if edit == 0 and data:
            data[at] = random.randrange(256)
        elif edit == 1:
            del data[at:at + random.choice((1, 2, 4, 100, 5000))]
        elif edit == 2:
            data[at:at] = bytes(random.randrange(256) for _ in range(random.randint(1, 16)))
        elif edit == 3:
            data[at:at] = data[at // 2:at // 2 + random.randint(1, 200)]
        else:
            data[at:at + 8] = random.choice((b"\x00" * 8, b"\xff" * 8, b"1e999", b"-1", b'"', b"\n", b"[[[[[[[["))
    return bytes(data)


def run(folder, command):
    try:
        result = subprocess.run([PROGRAM, *command], cwd=folder, capture_output=True, timeout=20, check=False)
    except subprocess.TimeoutExpired:
        return "takes longer than 20 s"
    if result.returncode < 0:
        return f"ends by signal {-result.returncode}"
    if result.returncode > 5 or b"internal error" in result.stderr or b"terminate called" in result.stderr:
        return f"exit code {result.returncode}: {result.stderr[-300:]!r}"
    return ""


def main():
    random.seed(int(sys.argv[4]) if len(sys.argv) > 4 else 20261129)
    codes = bad = 0
    with tempfile.TemporaryDirectory(prefix="gemmtune-damage-") as folder:
        folder = pathlib.Path(folder)
        os.environ["GEMMTUNE_STATE"] = str(folder / "state")
        (folder / "good.csv").write_text(A4W4)
        kinds = inputs(folder)
        for i in range(COUNT):
            name, data, commands = kinds[i % len(kinds)]
            (folder / name).write_bytes(damaged(data))
            for leftover in ("damaged.db-wal", "damaged.db-shm"):
                (folder / leftover).unlink(missing_ok=True)
            command = commands[i // len(kinds) % len(commands)]
            why = run(folder, command)
            codes += 1
            if why:
                bad += 1
                kept = DATA / f"found_{i}_{name}"
                kept.write_bytes((folder / name).read_bytes())
                print(f"gemmtune {' '.join(command)}: {why}; the file is {kept}")
    print(f"{codes} damaged files: {bad} found something")
    sys.exit(1 if bad else 0)


main()
