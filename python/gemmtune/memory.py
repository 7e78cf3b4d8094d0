"""Memory that launches need beside their tensors: workspaces, and packed copies of weights."""
import torch

LARGEST_KEPT = 32 << 20  # bytes; a larger workspace belongs to one launch, which takes far longer than an allocation

_spare = {}  # blocks that no launch is using, by device and stream: (address, size, tensor)


def aligned(count, device):
    """`count` bytes that begin at a multiple of 256, as all blocks of torch's allocator for CUDA do."""
    if device.type == "cuda":
        return torch.empty(count, dtype=torch.uint8, device=device)
    whole = torch.empty(count + 256, dtype=torch.uint8, device=device)
    return whole[-whole.data_ptr() % 256:]


def take_workspace(count, device, stream):
    """A workspace for one launch on the stream, and the place to put it back after the launch, or None.

    A stream does one thing after the other, so that the next launch may use the block again. Until a launch has enqueued
    all its kernels, no other thread gets its block. What a CUDA graph captures has blocks of its own, because the graph
    may be replayed on any stream."""
    if count > LARGEST_KEPT or (stream is not None and torch._C._cuda_isCurrentStreamCapturing()):
        tensor = aligned(count, device)
        return (tensor.data_ptr(), count, tensor), None  # freed in the order of the stream
    place = _spare.setdefault((device, stream), [])
    try:
        block = place.pop()
    except IndexError:
        block = (0, 0, None)
    if block[1] < count:
        tensor = aligned(count, device)
        block = (tensor.data_ptr(), count, tensor)
    return block, place


def _state(tensor):
    """What changes if the tensor's elements do. Inference tensors do not tell."""
    return None if tensor is None else (tensor.data_ptr(), -1 if tensor.is_inference() else tensor._version)


def packed_weights(plan, w, w_scale, stream):
    """The plan's copy of the weights, kept with them. A change of the weights or scales in place makes a new one."""
    copies = w.__dict__.setdefault("_gemmtune_packed", {})
    state = (_state(w), _state(w_scale))
    made = copies.get(plan.info.packed_layout)
    if made is None or made[0] != state:
        packed = aligned(plan.info.packed_bytes, w.device)
        plan.pack_weights(w.data_ptr(), state[1][0] if state[1] else None, packed.data_ptr(), stream)
        made = copies[plan.info.packed_layout] = (state, packed.data_ptr(), packed)
    return made[1]
