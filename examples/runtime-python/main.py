#!/usr/bin/env python3
"""Multiplies two f32 matrices on the CPU with the kernel that tables name.  main.py M N K [TABLES]

Only the standard library is used: memory is an array of ctypes. With tensors of torch, see docs/python.md.
"""
import ctypes
import sys

import gemmtune


def numbers(count, period):
    return (ctypes.c_float * count)(*(i % period - period // 2 for i in range(count)))


def aligned(size):
    """Memory and the address in it that is a multiple of 256."""
    memory = ctypes.create_string_buffer(size + 256)
    return memory, ctypes.addressof(memory) + -ctypes.addressof(memory) % 256


def main(m, n, k, tables=""):
    runtime = gemmtune.Runtime(tables, "cpu")
    plan = runtime.plan(f"{m}x{n}x{k}:f32:f32:f32")
    print(f"{plan.info.kernel_name} ({plan.info.match}), {plan.info.workspace_bytes} bytes of workspace")
    a, w, c = numbers(m * k, 7), numbers(n * k, 5), numbers(m * n, 2)
    memory, workspace = aligned(plan.info.workspace_bytes)
    plan.launch(a=ctypes.addressof(a), w=ctypes.addressof(w), c=ctypes.addressof(c), workspace=workspace,
                workspace_bytes=plan.info.workspace_bytes)
    errors = (abs(c[i * n + j] - sum(a[i * k + x] * w[j * k + x] for x in range(k))) for i in range(m) for j in range(n))
    print(f"largest error: {max(errors):g}")


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit("usage: main.py M N K [TABLES]")
    main(*(int(size) for size in sys.argv[1:4]), *sys.argv[4:])
