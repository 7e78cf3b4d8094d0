"""Writes small GGUF files: headers, and data if it is given."""
import struct

F32, F16, Q4_0, Q8_0, Q4_K, BF16, MXFP4 = 0, 1, 2, 8, 12, 30, 39


def text(value):
    return struct.pack("<Q", len(value.encode())) + value.encode()


def value(content):
    """Its kind and its bytes: bool, 32-bit number, text, or a list of those."""
    if isinstance(content, bool):
        return 7, struct.pack("<B", content)
    if isinstance(content, int):
        return 4, struct.pack("<I", content)
    if isinstance(content, str):
        return 8, text(content)
    parts = [value(each) for each in content]
    return 9, struct.pack("<IQ", parts[0][0] if parts else 4, len(parts)) + b"".join(raw for _, raw in parts)


def gguf(metadata, tensors, version=3):
    """`tensors` is a list of name, type and sizes; the sizes are those of the file: K, N, experts."""
    header = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(metadata))
    for key, content in metadata.items():
        kind, raw = value(content)
        header += text(key) + struct.pack("<I", kind) + raw
    for name, kind, shape in tensors:
        header += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, 0)
    return header


MOE = gguf({"general.architecture": "gpt-oss", "gpt-oss.block_count": 2, "gpt-oss.expert_used_count": 2,
            "gpt-oss.attention.head_count": 8, "gpt-oss.attention.head_count_kv": 4,
            "tokenizer.ggml.tokens": ["a", "b", ""], "gpt-oss.attention.sliding_window_pattern": [1, 0]},
           [("token_embd.weight", Q8_0, (256, 1000)), ("output.weight", Q8_0, (256, 1000))] +
           [(f"blk.{layer}.{stem}", kind, shape) for layer in (0, 1) for stem, kind, shape in (
               ("attn_q.weight", Q8_0, (256, 256)), ("attn_q.bias", F32, (256,)), ("attn_k.weight", Q8_0, (256, 128)),
               ("ffn_gate_inp.weight", F32, (256, 4)), ("ffn_gate_exps.weight", MXFP4, (256, 96, 4)),
               ("ffn_down_exps.weight", MXFP4, (96, 256, 4)))])
DENSE = gguf({"general.architecture": "llama", "llama.attention.head_count": 4},
             [("token_embd.weight", F16, (64, 500)), ("blk.0.attn_qkv.weight", BF16, (64, 192)),
              ("blk.0.attn_output.weight", Q4_0, (64, 64)), ("blk.0.ffn_up.weight", F16, (64, 128)),
              ("blk.0.ffn_norm.weight", F32, (64,)), ("blk.1.ffn_up.weight", Q4_K, (256, 128))])
