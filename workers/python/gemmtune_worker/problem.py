"""A problem as a value, parsed from its text: see "Problems" in workers/PROTOCOL.md."""

import re
from dataclasses import dataclass, field

TYPE_BITS = {"f32": 32, "tf32": 32, "f16": 16, "bf16": 16, "e4m3": 8, "e4m3fnuz": 8, "int8": 8, "e2m1": 4}
SCALINGS = ("", "tensor", "row", "1x128", "128x128", "1x32", "fp8_1x128", "fp8_row")
IN_CALL = {"fp8_1x128": "1x128", "fp8_row": "row"}  # what a call makes of floats: e4m3 with these scales
FLOATS = ("bf16", "f16", "f32")
OUTPUTS = ("bf16", "f16", "f32")
ACTIVATIONS = ("relu", "gelu_tanh", "gelu_erf", "silu")
LAYOUTS = ("nt", "nn", "tn", "tt")
DISTANCES = ("lda", "ldw", "ldc", "stride_a", "stride_w", "stride_c")


@dataclass(frozen=True)
class Side:
    type: str
    scaling: str = ""

    def __str__(self):
        return f"{self.type}/{self.scaling}" if self.scaling else self.type

    def has_scales(self):
        """Whether a tensor of scales is stored."""
        return self.scaling != "" and self.scaling not in IN_CALL

    def multiplied(self):
        """What is multiplied: the side itself, or what a call quantises it to."""
        return Side("e4m3", IN_CALL[self.scaling]) if self.scaling in IN_CALL else self


@dataclass(frozen=True)
class StoredMatrix:
    """`batch` matrices of `rows` x `columns` as they lie in memory, with contiguous rows. Distances in elements."""

    type: str
    batch: int
    rows: int
    columns: int
    leading: int
    stride: int

    def elements(self):
        return (self.batch - 1) * self.stride + (self.rows - 1) * self.leading + self.columns

    def bytes(self):
        return (self.elements() * TYPE_BITS[self.type] + 7) // 8

    def has_gaps(self):
        return self.elements() != self.batch * self.rows * self.columns


@dataclass(frozen=True)
class Problem:
    text: str
    m: int
    n: int
    k: int
    a: Side
    w: Side
    out: str
    batch: int = 1
    layout: str = "nt"
    distances: dict = field(default_factory=dict, hash=False)
    bias: bool = False
    activation: str = ""
    residual: bool = False
    packed: bool = False
    unknown: tuple = ()

    def flops(self):
        return 2 * self.m * self.n * self.k * self.batch

    def types(self):
        return f"{self.a}:{self.w}:{self.out}"

    def is_plain(self):
        """A plain product in the default layout: nothing to add, no gaps."""
        return not (self.bias or self.residual or self.activation or self.distances or self.layout != "nt")

    def stored_a(self):
        return self._stored("a", self.a.type, (self.m, self.k) if self.layout[0] == "n" else (self.k, self.m))

    def stored_w(self):
        return self._stored("w", self.w.type, (self.n, self.k) if self.layout[1] == "t" else (self.k, self.n))

    def stored_c(self):
        return self._stored("c", self.out, (self.m, self.n))

    def _stored(self, which, kind, size):
        leading = self.distances.get("ld" + which, size[1])
        stride = self.distances.get("stride_" + which, size[0] * leading)
        return StoredMatrix(kind, self.batch, *size, leading, stride)

    def why_unknown(self):
        """Why no worker of this package can multiply it, or ''."""
        if self.unknown:
            return f"the option '{self.unknown[0]}' is not known here"
        for side in (self.a, self.w):
            if side.type not in TYPE_BITS or side.scaling not in SCALINGS:
                return f"'{side}' is not known here"
            if (side.type == "e2m1") != (side.scaling == "1x32"):
                return "1x32 scales are known for e2m1 only here, and e2m1 has no others"
            if side.scaling in IN_CALL and side.type not in FLOATS:
                return f"'{side}': a call quantises {', '.join(FLOATS)}"
        if self.w.scaling in IN_CALL:
            return f"'{self.w}' is for A: a call does not quantise weights"
        if "e2m1" in (self.a.type, self.w.type) and (self.layout != "nt" or self.distances):
            return "e2m1 is only known as contiguous rows here"
        return "" if self.out in OUTPUTS else f"outputs of type '{self.out}' are not known here"


def parse_problem(text):
    """Raises ValueError for what is no problem. What is not known ends in `unknown`, because ignoring is wrong."""
    sizes, *rest = text.split(":")
    match = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)x([1-9]\d*)", sizes)
    if not match or len(rest) < 3:
        raise ValueError(f"'{text}' is not a problem: expected MxNxK:A:W:OUT and options")
    found = {"distances": {}, "unknown": ()}
    for option in rest[3:]:
        _read_option(option, found)
    return Problem(text, *map(int, match.groups()), _side(rest[0]), _side(rest[1]), rest[2], **found)


def _side(text):
    kind, _, scaling = text.partition("/")
    return Side(kind, scaling)


def _read_option(option, found):
    name, _, number = option.partition("=")
    if option in LAYOUTS:
        found["layout"] = option
    elif option in ACTIVATIONS:
        found["activation"] = option
    elif option in ("bias", "residual", "packed"):
        found[option] = True
    elif name == "batch" and number.isdigit():
        found["batch"] = int(number)
    elif name in DISTANCES and number.isdigit():
        found["distances"][name] = int(number)
    else:
        found["unknown"] += (option,)
