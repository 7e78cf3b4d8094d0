"""AITER's shuffled layouts of weights and of MXFP4 scales, and their inverses (gemm/shuffle_index.h), so that tensors that
were prepared for AITER can be used, and the other way round."""
import torch

TILE_ROWS, TILE_BYTES, PIECE_BYTES = 16, 32, 16
SCALE_ROWS, SCALE_COLUMNS = 256, 8


def _as_bytes(w):
    flat = w.contiguous().view(torch.uint8)
    rows, row_bytes = flat.shape
    if rows % TILE_ROWS or row_bytes % TILE_BYTES:
        raise ValueError(f"{rows} rows of {row_bytes} bytes: expected multiples of {TILE_ROWS} and {TILE_BYTES}")
    return flat


def shuffle_weight(w, layout=(16, 16)):
    """w [n, k] in AITER's layout (16, 16): n a multiple of 16, rows of a multiple of 32 bytes."""
    if layout != (16, 16):
        raise ValueError(f"layout {layout}: expected (16, 16)")
    flat = _as_bytes(w)
    rows, row_bytes = flat.shape
    tiles = flat.view(rows // TILE_ROWS, TILE_ROWS, row_bytes // TILE_BYTES, 2, PIECE_BYTES)
    return tiles.permute(0, 2, 3, 1, 4).reshape(rows, row_bytes).view(w.dtype)


def unshuffle_weight(w):
    """The inverse of shuffle_weight()."""
    flat = _as_bytes(w)
    rows, row_bytes = flat.shape
    tiles = flat.view(rows // TILE_ROWS, row_bytes // TILE_BYTES, 2, TILE_ROWS, PIECE_BYTES)
    return tiles.permute(0, 3, 1, 2, 4).reshape(rows, row_bytes).view(w.dtype)


def shuffle_scale(scale):
    """E8M0 scales [rows, k/32] in AITER's layout, padded with 0 to multiples of 256 rows and 8 columns."""
    rows, columns = scale.shape
    padded = torch.nn.functional.pad(scale.view(torch.uint8), (0, -columns % SCALE_COLUMNS, 0, -rows % SCALE_ROWS))
    tiles = padded.view(padded.shape[0] // 32, 2, 16, padded.shape[1] // 8, 2, 4)
    return tiles.permute(0, 3, 5, 2, 4, 1).reshape(padded.shape)


def unshuffle_scale(shuffled, rows, columns):
    """The inverse of shuffle_scale()."""
    tiles = shuffled.view(torch.uint8).view(shuffled.shape[0] // 32, shuffled.shape[1] // 8, 4, 16, 2, 2)
    return tiles.permute(0, 5, 3, 1, 4, 2).reshape(shuffled.shape)[:rows, :columns].contiguous()
