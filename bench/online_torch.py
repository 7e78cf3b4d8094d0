#!/usr/bin/env python3
"""A program that multiplies a few shapes with torch, again and again, and knows nothing of gemmtune.

    python3 bench/online_torch.py SECONDS

bench/runtime_on_gpu.sh runs it with the preloaded library, and `gemmtune serve` beside it. Prints the time of each
shape at first and at last, and the worst error against float64.
"""
import statistics
import sys
import time

import torch

SHAPES = [(16, 4096, 4096), (64, 8192, 8192), (1, 4096, 14336)]
BURST = 40


def drawn(m, n, k):
    a = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
    w = torch.randn(n, k, device="cuda", dtype=torch.bfloat16) / k**0.5
    return a, w, a.double() @ w.double().t()


def timed_us(a, w):
    times = []
    for _ in range(9):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        start.record()
        for _ in range(BURST):
            out = torch.nn.functional.linear(a, w)
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) / BURST * 1000)
    return out, statistics.median(times)


def main():
    torch.manual_seed(1)
    products = {shape: drawn(*shape) for shape in SHAPES}
    times = {shape: [] for shape in SHAPES}
    worst = 0.0
    end = time.monotonic() + float(sys.argv[1])
    while time.monotonic() < end:
        for shape, (a, w, expected) in products.items():
            out, us = timed_us(a, w)
            times[shape].append(us)
            worst = max(worst, ((out.double() - expected).norm() / expected.norm()).item())
        time.sleep(0.05)
    for shape, all_us in times.items():
        first, last = (statistics.median(part) for part in (all_us[:5], all_us[-7:]))
        print(f"{shape}: {first:.2f} us at first, {last:.2f} us at last, {first / last:.3f}x")
    print(f"worst relative error: {worst:.2e}")


if __name__ == "__main__":
    main()
