"""Starts a worker: python3 -m gemmtune_worker FAMILY… [--device cpu|cuda:0|hip:0]

A family is one of those in backends/, or the path of a file with a backend of your own: docs/python-workers.md.
"""

import argparse
import sys

from gemmtune_worker.channel import Channel

FAMILIES = ("torch", "triton", "gluon", "deepgemm", "humming", "quack", "numpy")
# Of modules with another name.
PROVIDERS = {"deep_gemm": "tokenspeed-deepgemm", "quack": "quack-kernels", "humming": "humming-kernels",
             "cuda": "cuda-bindings", "cuda.bindings": "cuda-bindings"}


def arguments():
    parser = argparse.ArgumentParser(prog="gemmtune_worker", description="A worker for gemmtune: see PROTOCOL.md.")
    parser.add_argument("family", nargs="+", help=f"whose kernels to offer: {', '.join(FAMILIES)}, or a file of yours")
    parser.add_argument("--device", default="cuda:0", help="cpu, cuda:0, hip:0 … (cuda:0 unless given)")
    return parser.parse_args()


def load_backend(family):
    """Its module."""
    from gemmtune_worker.backend import load_module
    if family not in FAMILIES and not family.endswith(".py"):
        raise ValueError(f"no backend '{family}' here: expected {', '.join(FAMILIES)}, or a file that ends in .py")
    return load_module(family if family.endswith(".py") else f"gemmtune_worker.backends.{family}_backend")


def open_worker(given, channel):
    from gemmtune_worker.device import open_device
    from gemmtune_worker.serve import Worker
    modules = [load_backend(family) for family in given.family]
    with_torch = any(getattr(module, "WITH_TORCH", True) for module in modules)
    device = open_device(given.device, with_torch)
    return Worker(channel, device, [module.make(device) for module in modules])


def why_not_started(error, family):
    """One line, with what a user does about it."""
    if not isinstance(error, ImportError):
        return str(error) or type(error).__name__
    missing = error.name or str(error)
    return f"{family}: no module named {missing}; pip install {PROVIDERS.get(missing, missing)}"


def main():
    given, channel = arguments(), Channel()
    try:
        worker = open_worker(given, channel)
    except Exception as error:  # whatever it is, the supervisor must hear of it
        channel.send(type="error", id=None, message=why_not_started(error, given.family[0]))
        return 1
    worker.serve()
    return 0


if __name__ == "__main__":
    sys.exit(main())
