#!/usr/bin/env python3
"""The NEON kernels agree with the portable ones: usage neon_test.py CXX QEMU SOURCE_DIR.

CXX is a compiler for aarch64, and QEMU runs its programs on this machine.
"""
import os
import subprocess
import sys
import tempfile

KERNELS = {
    "block_portable.cpp": [],
    "block_f32_neon.cpp": [],
    "block_int8_neondot.cpp": ["-march=armv8.2-a+dotprod"],
    "block_int8_neoni8mm.cpp": ["-march=armv8.2-a+dotprod+i8mm"],
}


def main():
    compiler, qemu, root = sys.argv[1:]
    family = os.path.join(root, "gemmtune/families/cpu_tile")
    sources = {os.path.join(family, name): flags for name, flags in KERNELS.items()}
    sources[os.path.join(root, "gemmtune/gemm/numeric.cpp")] = []
    sources[os.path.join(root, "tests/families/cpu_tile/neon_check.cpp")] = []
    with tempfile.TemporaryDirectory() as folder:
        objects = []
        for source, flags in sources.items():
            objects.append(os.path.join(folder, os.path.basename(source) + ".o"))
            subprocess.run([compiler, "-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", "-I", root, *flags, "-c", source,
                            "-o", objects[-1]], check=True)
        program = os.path.join(folder, "neon_check")
        subprocess.run([compiler, "-static", *objects, "-o", program], check=True)
        return subprocess.run([qemu, "-cpu", "max", program], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
