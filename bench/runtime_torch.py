#!/usr/bin/env python3
"""What a call from Python costs, and MXFP4 weights against torch's bf16, on a GPU: docs/results/runtime.md.

    PYTHONPATH=python GEMMTUNE_LIBRARY=…/libgemmtune.so python3 bench/runtime_torch.py [TABLES]
"""
import statistics
import sys
import time

import torch

import gemmtune
from gemmtune import torch_ops

ROUNDS = 15


def host_us(call, count=300):
    """Microseconds of the host for a call, while the device has nothing to wait for: the least of several bursts."""
    times = []
    for _ in range(ROUNDS):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(count):
            call()
        times.append((time.perf_counter() - start) / count * 1e6)
    return statistics.median(times)


def graph_of(calls):
    for call in calls:
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for call in calls:
            call()
    return graph


def replayed_us(graphs, calls_of_a_graph):
    """Medians of the device's time for a call, of several graphs replayed in turn."""
    times = [[] for _ in graphs]
    for _ in range(ROUNDS):
        for graph, own in zip(graphs, times):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            graph.replay()
            start.record()
            for _ in range(5):
                graph.replay()
            end.record()
            end.synchronize()
            own.append(start.elapsed_time(end) * 1e3 / 5 / calls_of_a_graph)
    return [statistics.median(own) for own in times]


def eager():
    x, w = torch.randn(16, 256, device="cuda", dtype=torch.bfloat16), torch.randn(256, 256, device="cuda", dtype=torch.bfloat16)
    plan = torch_ops.plan_of(x, w, ("none", "none", torch.bfloat16, False, False))
    out = torch.empty(16, 256, device="cuda", dtype=torch.bfloat16)
    print("host time of a call, bf16 16x256x256, us")
    for name, call in (("torch.mm", lambda: torch.mm(x, w.T)), ("torch.nn.functional.linear", lambda: torch.nn.functional.linear(x, w)),
                       ("gemmtune.linear", lambda: gemmtune.linear(x, w)), ("gemmtune.gemm_a16w16", lambda: gemmtune.gemm_a16w16(x, w)),
                       ("Plan.launch alone", lambda: torch_ops.launch(plan, (x, None, w, None, None), out))):
        print(f"  {name:<28}{host_us(call):7.2f}")


def mxfp4(n=8192, k=8192, copies=8):
    """Weights rotate over copies that no cache holds: a copy of MXFP4 is 35 MB."""
    weights = [torch.randn(n, k, device="cuda", dtype=torch.bfloat16) for _ in range(copies)]
    quantised = [gemmtune.quantize_mxfp4(w) for w in weights]
    print(f"device time of a call in a CUDA graph, {n}x{k} weights, us: torch bf16, gemmtune MXFP4, ratio")
    for m in (1, 16, 64, 256, 4096):
        x = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
        values, scales = gemmtune.quantize_mxfp4(x)
        plain = graph_of([lambda w=w: torch.nn.functional.linear(x, w) for w in weights])
        ours = graph_of([lambda w=w, s=s: gemmtune.gemm_a4w4(values, w, scales, s) for w, s in quantised])
        bf16, mx = replayed_us([plain, ours], copies)
        info = gemmtune.lookup(f"{m}x{n}x{k}:e2m1/1x32:e2m1/1x32:bf16:packed", "cuda")
        print(f"  M = {m:<6}{bf16:9.2f}{mx:9.2f}{bf16 / mx:7.2f}x  {info.match} {info.kernel_name}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        gemmtune.open_runtime("cuda", tables=sys.argv[1])
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}")
    eager()
    mxfp4()
