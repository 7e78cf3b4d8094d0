"""Starts a worker: python3 -m gemmtune_worker FAMILY… [--device cpu|cuda:0|hip:0]"""

import argparse
import importlib
import sys

from gemmtune_worker.channel import Channel

FAMILIES = {"torch": "torch_backend", "triton": "triton_backend", "gluon": "gluon_backend",
            "deepgemm": "deepgemm_backend", "quack": "quack_backend", "numpy": "numpy_backend"}


def arguments():
    parser = argparse.ArgumentParser(prog="gemmtune_worker", description="A worker for gemmtune: see PROTOCOL.md.")
    parser.add_argument("family", nargs="+", choices=sorted(FAMILIES), help="whose kernels to offer")
    parser.add_argument("--device", default="cuda:0", help="cpu, cuda:0, hip:0 … (cuda:0 unless given)")
    return parser.parse_args()


def open_backend(family, device):
    """Raises NoDevice where its module is missing, with what a user does about it."""
    from gemmtune_worker.device import NoDevice
    try:
        module = importlib.import_module(f"gemmtune_worker.backends.{FAMILIES[family]}")
    except ImportError as error:
        missing = error.name or str(error)
        raise NoDevice(f"{family}: no module named {missing}; pip install {INSTALL.get(missing, missing)}") from error
    return module.make(device)


INSTALL = {"deep_gemm": "tokenspeed-deepgemm", "quack": "quack-kernels"}  # what provides a module of another name


def main():
    given, channel = arguments(), Channel()
    try:
        from gemmtune_worker.device import open_device
        from gemmtune_worker.serve import Worker
        device = open_device(given.device, with_torch=set(given.family) != {"numpy"})
        backends = [open_backend(family, device) for family in given.family]
    except Exception as error:  # whatever it is, the supervisor must hear of it
        channel.send(type="error", id=None, message=f"{error}" or type(error).__name__)
        return 1
    Worker(channel, device, backends).serve()
    return 0


if __name__ == "__main__":
    sys.exit(main())
