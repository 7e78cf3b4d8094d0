"""A transformer with random weights and 8 layers of Llama-3-8B's sizes, which decodes one token for each sequence of a
batch: its speed and its logits before and after gemmtune.patch(). Projections that share their input are one layer, as
servers have them."""
import copy

import torch
from torch.nn import functional

import gemmtune
from gemmtune.nn import problem_of
from replayed import graph_of, replayed_us

HIDDEN, HEADS, KV_HEADS, HEAD, INNER, VOCABULARY, LAYERS = 4096, 32, 8, 128, 14336, 128256, 8
CONTEXT = 256  # tokens that each sequence has before
BATCHES = (1, 64)
FORMATS = ("same", "fp8_block", "mxfp4")
STAYS = {"same": (), "fp8_block": ("lm_head",), "mxfp4": ("lm_head",)}  # layers that keep bf16


def layer(inputs, outputs, device):
    made = torch.nn.Linear(inputs, outputs, bias=False, device="meta", dtype=torch.bfloat16).to_empty(device=device)
    torch.nn.init.normal_(made.weight, std=inputs ** -0.5)
    return made


class Block(torch.nn.Module):
    def __init__(self, device):
        super().__init__()
        self.qkv = layer(HIDDEN, (HEADS + 2 * KV_HEADS) * HEAD, device)
        self.out = layer(HEADS * HEAD, HIDDEN, device)
        self.gate_up = layer(HIDDEN, 2 * INNER, device)
        self.down = layer(INNER, HIDDEN, device)

    def forward(self, x, keys, values):
        q, k, v = self.qkv(normed(x)).split((HEADS * HEAD, KV_HEADS * HEAD, KV_HEADS * HEAD), dim=-1)
        keys[:, :, -1] = k.view(-1, KV_HEADS, HEAD)
        values[:, :, -1] = v.view(-1, KV_HEADS, HEAD)
        seen = functional.scaled_dot_product_attention(q.view(-1, HEADS, 1, HEAD), keys, values, enable_gqa=True)
        x = x + self.out(seen.reshape(-1, HEADS * HEAD))
        gate, up = self.gate_up(normed(x)).chunk(2, dim=-1)
        return x + self.down(functional.silu(gate) * up)


def normed(x):
    return functional.rms_norm(x, (x.shape[-1],))


class Model(torch.nn.Module):
    def __init__(self, device, layers=LAYERS):
        super().__init__()
        self.layers = torch.nn.ModuleList(Block(device) for _ in range(layers))
        self.lm_head = layer(HIDDEN, VOCABULARY, device)

    def forward(self, x, cache):
        for block, (keys, values) in zip(self.layers, cache):
            x = block(x, keys, values)
        return self.lm_head(normed(x))


class Emulated(torch.nn.Module):
    """The products of a gemmtune.Linear in f32, with the same rounded operands: what is left of a difference is the
    kernel's."""

    def __init__(self, of):
        super().__init__()
        self.format, self.weight = of.format, dequantised(of.weight, of.weight_scale, of.format)

    def forward(self, x):
        quantise = gemmtune.quantize_mxfp4 if self.format == "mxfp4" else lambda x: gemmtune.quantize_fp8(x, "1x128")
        return functional.linear(dequantised(*quantise(x), self.format), self.weight).to(x.dtype)


E2M1 = (0, .5, 1, 1.5, 2, 3, 4, 6, 0, -.5, -1, -1.5, -2, -3, -4, -6)


def dequantised(values, scales, format):
    if format == "mxfp4":
        codes = torch.stack((values & 15, values >> 4), -1).flatten(-2).long()
        return torch.tensor(E2M1, device=values.device)[codes] * torch.exp2(scales.float() - 127).repeat_interleave(32, -1)
    rows = 128 if scales.shape[0] != values.shape[0] else 1
    spread = scales.repeat_interleave(rows, 0).repeat_interleave(128, 1)
    return values.float() * spread[:values.shape[0], :values.shape[1]]


def emulated(model):
    made = copy.deepcopy(model)
    for parent in list(made.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, gemmtune.Linear) and child.format != "same":
                setattr(parent, name, Emulated(child))
    return made


def problems():
    """Of all layers that patch() replaces, for all batches and formats."""
    with torch.device("meta"):
        block = Block("meta")
        layers = [*block.children(), layer(HIDDEN, VOCABULARY, "meta")]
    return [problem_of(one, format, batch, torch.device("cuda")) for format in FORMATS for batch in BATCHES
            for one in (layers if format == "same" else layers[:-1])]


def error(got, expected):
    """Relative, in the Euclidean norm."""
    return ((got.float() - expected.float()).norm() / expected.float().norm()).item()


def compare(device="cuda"):
    torch.manual_seed(0)
    model = Model(device)
    patched = {format: gemmtune.patch(copy.deepcopy(model), format, skip=STAYS[format]) for format in FORMATS}
    print(f"decoding with {LAYERS} layers of Llama-3-8B's sizes, {CONTEXT} tokens before, in a CUDA graph")
    print("  batch  format      tokens/s: torch bf16, gemmtune   gain   logits differ from bf16, from the same rounding in f32")
    for batch in BATCHES:
        x = torch.randn(batch, HIDDEN, device=device, dtype=torch.bfloat16)
        cache = [tuple(torch.randn(batch, KV_HEADS, CONTEXT, HEAD, device=device, dtype=torch.bfloat16) for _ in "kv")
                 for _ in range(LAYERS)]
        logits = model(x, cache)
        plain = graph_of([lambda: model(x, cache)])
        for format, ours in patched.items():
            got = ours(x, cache)
            same = error(got, emulated(ours)(x, cache)) if format != "same" else error(got, logits)
            before, after = replayed_us([plain, graph_of([lambda: ours(x, cache)])], 1)
            print(f"  {batch:<7}{format:<12}{batch / before * 1e6:12.0f}{batch / after * 1e6:12.0f}{before / after:14.2f}x"
                  f"{error(got, logits):16.4f}{same:12.4f}", flush=True)
    for text in problems():
        info = gemmtune.lookup(text, device)
        print(f"  {text:<54}{info.match:<10}{info.expected_us:8.2f} us  {info.kernel_name}")
