"""Workers for gemmtune in Python: the protocol, operands, verification and timing. A backend adds the kernels."""

__version__ = "1.0"
