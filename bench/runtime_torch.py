#!/usr/bin/env python3
"""What the Python package costs and gains beside torch, for docs/results/runtime.md:

- the host's time of a call in eager mode, also with a launch that does nothing;
- MXFP4 weights against torch's bf16, in a CUDA graph;
- decoding with a transformer of Llama-3-8B's sizes, before and after gemmtune.patch().

    python3 bench/runtime_torch.py [--tables FILES | --tune OPTIONS] [--parts overhead,mxfp4,model]

Without a GPU only the first part runs, on the CPU. A part that fails is reported, and the others run.
"""
import argparse
import ctypes
import os
import shlex
import statistics
import tempfile
import time
import traceback

import torch

import gemmtune
import small_llama
from gemmtune import library
from replayed import graph_of, replayed_us

ROUNDS = 15
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
SQUARE = 8192
SQUARE_TOKENS = (1, 16, 64, 256, 4096)


def settle():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def host_us(calls, count=300):
    """Microseconds of the host for each call while the device has nothing to wait for: medians of bursts taken in turn."""
    times = [[] for _ in calls]
    for _ in range(ROUNDS):
        for call, own in zip(calls, times):
            settle()
            start = time.perf_counter()
            for _ in range(count):
                call()
            own.append((time.perf_counter() - start) / count * 1e6)
    return [statistics.median(own) for own in times]


def show(title, calls):
    print(title)
    for (name, _), us in zip(calls.items(), host_us(list(calls.values()))):
        print(f"  {name:<34}{us:7.2f}")


def plan_launch(x, w, out):
    plan = gemmtune.served.runtime_of(gemmtune.served.key_of(x.device)).plan(
        f"{x.shape[0]}x{w.shape[0]}x{x.shape[1]}:bf16:bf16:bf16")
    workspace = gemmtune.memory.aligned(max(plan.info.workspace_bytes, 1), x.device)
    operands = library.Operands(a=x.data_ptr(), w=w.data_ptr(), c=out.data_ptr(), workspace=workspace.data_ptr(),
                                workspace_bytes=plan.info.workspace_bytes)
    operands.memory, stream = workspace, gemmtune.served.stream_of(x.device)
    return lambda: plan.launch_operands(operands, stream)


def overhead():
    x, w = (torch.randn(m, 256, device=DEVICE, dtype=torch.bfloat16) for m in (16, 256))
    out = torch.empty(16, 256, device=DEVICE, dtype=torch.bfloat16)
    (aq, a_scale), (wq, w_scale) = gemmtune.quantize_fp8(x, "1x128"), gemmtune.quantize_fp8(w, "128x128")
    (a4, a_e8m0), (w4, w_e8m0) = gemmtune.quantize_mxfp4(x), gemmtune.quantize_mxfp4(w)
    ours = {"gemmtune.linear": lambda: gemmtune.linear(x, w), "gemmtune.gemm_a16w16": lambda: gemmtune.gemm_a16w16(x, w),
            "gemmtune.gemm_a8w8_blockscale": lambda: gemmtune.gemm_a8w8_blockscale(aq, wq, a_scale, w_scale),
            "gemmtune.gemm_a4w4": lambda: gemmtune.gemm_a4w4(a4, w4, a_e8m0, w_e8m0),
            "gemmtune.quantize_mxfp4": lambda: gemmtune.quantize_mxfp4(x)}
    theirs = {"torch.mm(x, w.T)": lambda: torch.mm(x, w.T), "torch.nn.functional.linear": lambda: torch.nn.functional.linear(x, w)}
    show("host time of a call, 16x256x256, us", {**theirs, **ours, "a plan's launch": plan_launch(x, w, out)})
    nothing = ctypes.CDLL("libm.so.6").fegetround  # takes no arguments and returns 0
    nothing.argtypes, nothing.restype = None, ctypes.c_int
    real = {name: getattr(library.lib, name) for name in ("gemmtune_launch", "gemmtune_quantise")}
    try:
        for name in real:
            setattr(library.lib, name, nothing)
        gemmtune.served.forget()
        show("the same if the library's launch does nothing", ours)
    finally:
        for name, function in real.items():
            setattr(library.lib, name, function)
        gemmtune.served.forget()


def mxfp4(copies=8):
    """Weights rotate over copies that no cache holds: a copy of MXFP4 is 35 MB."""
    weights = [torch.randn(SQUARE, SQUARE, device="cuda", dtype=torch.bfloat16) for _ in range(copies)]
    quantised = [gemmtune.quantize_mxfp4(w) for w in weights]
    print(f"device time of a call in a CUDA graph, {SQUARE}x{SQUARE} weights, us: torch bf16, gemmtune MXFP4, ratio; the table's us")
    for m in SQUARE_TOKENS:
        x = torch.randn(m, SQUARE, device="cuda", dtype=torch.bfloat16)
        values, scales = gemmtune.quantize_mxfp4(x)
        plain = graph_of([lambda w=w: torch.nn.functional.linear(x, w) for w in weights])
        ours = graph_of([lambda w=w, s=s: gemmtune.gemm_a4w4(values, w, scales, s) for w, s in quantised])
        bf16, mx = replayed_us([plain, ours], copies)
        info = gemmtune.lookup(square(m), "cuda")
        print(f"  M = {m:<6}{bf16:9.2f}{mx:9.2f}{bf16 / mx:7.2f}x{info.expected_us:9.2f}  {info.match} {info.kernel_name}")


def square(m):
    return f"{m}x{SQUARE}x{SQUARE}:e2m1/1x32:e2m1/1x32:bf16:packed"


def tune(options, folder):
    """A table for everything that the other parts multiply. Options of `gemmtune tune`."""
    problems = [square(m) for m in SQUARE_TOKENS if m <= 64] + small_llama.problems()
    table = os.path.join(folder, "tuned.csv")
    print(gemmtune.tune(problems, table, "--device", "cuda:0", *shlex.split(options)), flush=True)
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", help="tables to run, a.csv:b.csv")
    parser.add_argument("--tune", metavar="OPTIONS", help='tune first, with options of gemmtune tune: "--budget 10m"')
    parser.add_argument("--parts", default="overhead,mxfp4,model", help="of overhead, mxfp4 and model")
    given = parser.parse_args()
    parts = {"overhead": overhead, "mxfp4": mxfp4, "model": small_llama.compare}
    wanted = ["overhead"] if DEVICE == "cpu" else given.parts.split(",")
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name() if DEVICE == 'cuda' else 'CPU'}", flush=True)
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        tables = tune(given.tune, os.environ.get("OUT", folder)) if given.tune else given.tables
        gemmtune.open_runtime(DEVICE, tables=tables)
        for name in wanted:
            started = time.perf_counter()
            try:
                parts[name]()
            except Exception:
                traceback.print_exc()
            print(f"({name}: {time.perf_counter() - started:.1f} s)", flush=True)


if __name__ == "__main__":
    main()
