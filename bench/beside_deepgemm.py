#!/usr/bin/env python3
"""Block-scaled FP8 under steady load: kernels of fp8_block and DeepGEMM's, replayed from graphs in one process.

    python3 bench/beside_deepgemm.py 8192x8192x8192 fp8_block_m128_n256_r1_one_s3_cm1_cn1_g8_alongm_k1 … [--seconds 0.6]

Each contender runs for so many seconds, in turn, three times. Shows medians: microseconds of a product, the clock of the
multiprocessors in MHz, the card's power in watts, and thousands of clocks of a product. DeepGEMM's scales are brought
into their order before. Needs torch, deep_gemm, and this package with its library (GEMMTUNE_LIBRARY).
"""
import argparse
import ctypes
import pathlib
import statistics
import tempfile
import time

import deep_gemm
import torch

import gemmtune
from gemmtune import library, memory
from gemmtune.runtime import Runtime

DEVICE = "cuda:0"
SETS = 3  # of operands
ROUNDS = 3
REPLAYS = 8
WARM = 0.6  # of a contender's time: what runs before is not counted


class Monitor:
    """The first card's clock and power, from NVIDIA's management library."""

    def __init__(self):
        self.nvml, self.card = ctypes.CDLL("libnvidia-ml.so.1"), ctypes.c_void_p()
        self.nvml.nvmlInit_v2()
        self.nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.card))

    def read(self):
        clock, power = ctypes.c_uint(), ctypes.c_uint()
        self.nvml.nvmlDeviceGetClockInfo(self.card, 1, ctypes.byref(clock))
        self.nvml.nvmlDeviceGetPowerUsage(self.card, ctypes.byref(power))
        return clock.value, power.value / 1000


def operands(m, n, k):
    for _ in range(SETS):
        a, w = (torch.randn(rows, k, device=DEVICE, dtype=torch.bfloat16) for rows in (m, n))
        yield (*gemmtune.quantize_fp8(a, "1x128"), *gemmtune.quantize_fp8(w, "128x128"),
               torch.empty(m, n, device=DEVICE, dtype=torch.bfloat16))


def of_kernel(name, m, n, k, sets):
    """A call that launches this kernel of fp8_block on operands i. A table of one row chooses it."""
    columns = "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio"
    units = torch.cuda.get_device_properties(DEVICE).multi_processor_count
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "a8w8_blockscale_tuned_gemm.csv"
        table.write_text(f"{columns}\nsm90,{units},{m},{n},{k},fp8_block,-1,0,100.0,{name},1000,1000,0.0016\n")
        runtime = Runtime(tables=table, device=DEVICE, stale="run")
        plan = runtime.plan(f"{m}x{n}x{k}:a8w8_blockscale")
    if plan.info.kernel_name != name:
        raise SystemExit(f"{name} is not a kernel for {m}x{n}x{k}: {plan.info.notes}")
    workspace = memory.aligned(max(plan.info.workspace_bytes, 1), torch.device(DEVICE))
    given = [library.Operands(a=a.data_ptr(), a_scale=a_scale.data_ptr(), w=w.data_ptr(), w_scale=w_scale.data_ptr(),
                              c=c.data_ptr(), workspace=workspace.data_ptr(), workspace_bytes=plan.info.workspace_bytes)
             for a, a_scale, w, w_scale, c in sets]

    def call(i, _alive=(runtime, workspace)):
        plan.launch_operands(given[i], torch.cuda.current_stream().cuda_stream)
    return call


def of_deepgemm(sets):
    ordered = [deep_gemm.get_mn_major_tma_aligned_tensor(a_scale) for _, a_scale, *_ in sets]
    return lambda i: deep_gemm.fp8_gemm_nt((sets[i][0], ordered[i]), (sets[i][2], sets[i][3]), sets[i][4])


def graph_of(call):
    call(0)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(2 * SETS):
            call(i % SETS)
    return graph


def measured(graph, seconds, monitor):
    """Medians of microseconds, MHz and watts."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start, seen = time.monotonic(), []
    while (passed := time.monotonic() - start) < seconds:
        begin.record()
        for _ in range(REPLAYS):
            graph.replay()
        end.record()
        state = monitor.read() if passed > WARM * seconds else None
        end.synchronize()
        if state:
            seen.append((begin.elapsed_time(end) * 1000 / (REPLAYS * 2 * SETS), *state))
    return [statistics.median(values) for values in zip(*seen)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sizes", help="MxNxK")
    parser.add_argument("kernels", nargs="+")
    parser.add_argument("--seconds", type=float, default=0.6)
    given = parser.parse_args()
    m, n, k = map(int, given.sizes.split("x"))
    sets, monitor = list(operands(m, n, k)), Monitor()
    calls = {name: of_kernel(name, m, n, k, sets) for name in given.kernels}
    graphs = {name: graph_of(call) for name, call in {**calls, "deepgemm": of_deepgemm(sets)}.items()}
    rounds = {name: [] for name in graphs}
    for i in range(ROUNDS):
        for name in graphs if i % 2 == 0 else reversed(graphs):
            rounds[name].append(measured(graphs[name], given.seconds, monitor))
    print(f"{'us':>9} {'MHz':>6} {'W':>6} {'kclocks':>8}  {given.sizes}")
    for name, seen in rounds.items():
        us, mhz, watts = (statistics.median(values) for values in zip(*seen))
        print(f"{us:9.2f} {mhz:6.0f} {watts:6.1f} {us * mhz / 1e3:8.1f}  {name}")


if __name__ == "__main__":
    main()
