"""Linear layers that multiply by tuned kernels, and the replacement of a model's layers by them."""
import torch

from . import torch_ops
from .bound import NAMES
from .library import Error
from .quantise import quantise, quantize_fp8, quantize_mxfp4
from .served import lookup


class Linear(torch.nn.Module):
    """The layer `of`, for inference. format: "same" keeps its type; "fp8" quantises weights and activations by rows,
    "fp8_block" by blocks of 128, and "mxfp4" by blocks of 32. "a16w4", "a8w4" and "a16w4_fp8" quantise the weights to
    MXFP4; activations stay as they are, or each call quantises them, to int8 or to E4M3."""

    def __init__(self, of, format="same"):
        super().__init__()
        self.format = known(format)
        self.in_features, self.out_features = of.in_features, of.out_features
        self.bias = of.bias
        weight, scale = self._quantised(of.weight.detach())
        self.register_buffer("weight", weight)
        self.register_buffer("weight_scale", scale)

    def _quantised(self, weight):
        if self.format == "same":
            return weight, None
        if self.format in MXFP4_WEIGHTS:
            return quantize_mxfp4(weight)
        return quantize_fp8(weight, "row" if self.format == "fp8" else "128x128")

    def forward(self, x):
        if self.format == "same":
            return self._same(x)
        if x.dim() == 2:
            return self._multiply(x)
        return self._multiply(x.reshape(-1, x.shape[-1])).reshape(*x.shape[:-1], self.out_features)

    def _same(self, x):
        """What the runtime refuses, such as a view at an address that the kernel does not take, torch multiplies."""
        try:
            return torch_ops.linear(x, self.weight, self.bias)
        except Error:
            return torch.nn.functional.linear(x, self.weight, self.bias)

    def _multiply(self, x):
        if self.format in OF_FLOATS:
            return OF_FLOATS[self.format](x, self.weight, self.weight_scale, self.bias)
        if self.format == "mxfp4":
            values, scales = quantize_mxfp4(x)
            return torch_ops.gemm_a4w4(values, self.weight, scales, self.weight_scale, self.bias, x.dtype)
        if self.format == "fp8":
            values, scales = quantize_fp8(x, "row")
            return torch_ops.gemm_a8w8(values, self.weight, scales, self.weight_scale, self.bias, x.dtype)
        out = block_scaled(x, self.weight, self.weight_scale)
        return out if self.bias is None else out + self.bias

    def extra_repr(self):
        return f"{self.in_features}, {self.out_features}, bias={self.bias is not None}, format={self.format}"


def rows_of_blocks(m, device):
    """cuBLASLt multiplies blocks of 1x128 for multiples of 4 tokens only. More rows than tokens cost nothing: what they
    hold does not matter, because each row of C depends on one row of A."""
    return -(-m // 4) * 4 if device.type == "cuda" else m


def block_scaled(x, weight, weight_scale, out_type=None):
    """x [m, k] times E4M3 weights with scales of 128 × 128, transposed."""
    m, rows = x.shape[0], rows_of_blocks(x.shape[0], x.device)
    values, scales = quantise(x, "e4m3", "1x128", rows)
    out = torch_ops.gemm_a8w8_blockscale(values, weight, scales, weight_scale, out_type or x.dtype)
    # Compiled code must not depend on whether this m is a multiple: it is used for others.
    return out if not torch.compiler.is_compiling() and rows == m else out.narrow(0, 0, m)


SIDES = {"same": ("{type}", "{type}"), "fp8": ("e4m3/row", "e4m3/row"), "fp8_block": ("e4m3/1x128", "e4m3/128x128"),
         "mxfp4": ("e2m1/1x32", "e2m1/1x32"), "a16w4": ("{type}", "e2m1/1x32"), "a8w4": ("{type}/q8", "e2m1/1x32"),
         "a16w4_fp8": ("{type}/fp8_row", "e2m1/1x32")}
OF_FLOATS = {"a16w4": torch_ops.gemm_a16w4, "a8w4": torch_ops.gemm_a8w4, "a16w4_fp8": torch_ops.gemm_a16w4_fp8}
MXFP4_WEIGHTS = ("mxfp4", *OF_FLOATS)


def problem_of(layer, format, m, device=None):
    """The text of the problem that a layer is for m tokens in this format, on its device or another."""
    type = NAMES[layer.weight.dtype]
    a, w = (side.format(type=type) for side in SIDES[format])
    bias = ":bias" if layer.bias is not None and format != "fp8_block" else ""
    m = rows_of_blocks(m, device or layer.weight.device) if format == "fp8_block" else m
    packed = ":packed" if format in MXFP4_WEIGHTS else ""
    return f"{m}x{layer.out_features}x{layer.in_features}:{a}:{w}:{type}{bias}{packed}"


def known(format):
    if format not in SIDES:
        raise ValueError(f'format "{format}": expected one of {", ".join(SIDES)}')
    return format


def why_not(layer, format):
    """Why a layer is left as it is, or "". A layer whose product no kernel runs for one token is left."""
    if type(layer) is not torch.nn.Linear:
        return "not a plain torch.nn.Linear"
    if layer.weight.dtype not in (torch.bfloat16, torch.float16, torch.float32):
        return f"its weights are {layer.weight.dtype}"
    if format in MXFP4_WEIGHTS and layer.in_features % 32 != 0:
        return f"{layer.in_features} inputs are no multiple of 32"
    try:
        lookup(problem_of(layer, format, 1), layer.weight.device)
    except Error as error:
        return str(error).splitlines()[0]
    return ""


def patch(model, format="same", skip=(), say=print):
    """Replaces the Linear layers of a model for inference, and says which were replaced and which were left. `skip` has
    parts of names of layers that stay ("lm_head"). Returns the model."""
    done, left = 0, []
    known(format)
    for name, parent in list(model.named_modules()):
        for child, layer in list(parent.named_children()):
            full = f"{name}.{child}" if name else child
            if not isinstance(layer, torch.nn.Linear):
                continue
            why = "skipped by name" if any(part in full for part in skip) else why_not(layer, format)
            if why:
                left.append(f"{full}: {why}")
                continue
            setattr(parent, child, Linear(layer, format))
            done += 1
    say(f"gemmtune: {done} layers replaced ({format}), {len(left)} left")
    for line in left:
        say(f"gemmtune: left {line}")
    return model
