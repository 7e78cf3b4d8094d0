"""The Triton kernels: C = A · Wᵀ with operands of 16 or 8 bits, with block scales, and with MX scales.

Sizes and strides are in elements. A program computes one tile of C, or every n-th one (PERSISTENT). With split K, the
programs write partial sums, which `reduce_splits` adds up in a fixed order, so that results are the same each time.
Candidates that differ in group_m or in the number of splits share their compiled code.
"""

import triton
import triton.language as tl


@triton.jit
def place_of(tile, M, N, group_m, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """group_m rows of tiles are computed together, so that they share the weights in the cache."""
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    of_group = group_m * tiles_n
    first = tile // of_group * group_m
    rows = min(tiles_m - first, group_m)
    return first + tile % of_group % rows, tile % of_group // rows


@triton.jit
def store_tile(c, acc, tile_m, tile_n, M, N, stride_m, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    mask = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c + rows[:, None].to(tl.int64) * stride_m + columns[None, :], acc.to(c.dtype.element_ty), mask=mask)


@triton.jit
def with_scales(acc, a_scale, w_scale, bias, rows, columns, M, N, A_SCALE: tl.constexpr, W_SCALE: tl.constexpr,
                BIAS: tl.constexpr):
    """A_SCALE, W_SCALE: "" for none, "tensor" or "row"."""
    acc = acc.to(tl.float32)
    if A_SCALE == "row":
        scale = tl.load(a_scale + rows, mask=rows < M, other=0.0)[:, None]
    elif A_SCALE == "tensor":
        scale = tl.load(a_scale)
    if A_SCALE != "":  # both scales first: a large one and a small one may be far apart
        if W_SCALE == "row":
            scale = scale * tl.load(w_scale + columns, mask=columns < N, other=0.0)[None, :]
        else:
            scale = scale * tl.load(w_scale)
        acc *= scale
    if BIAS:
        acc += tl.load(bias + columns, mask=columns < N, other=0.0).to(tl.float32)[None, :]
    return acc


@triton.jit
def dense_tile(tile, split, a, w, c, a_scale, w_scale, bias, M, N, K, stride_am, stride_ak, stride_wn, stride_wk,
               stride_cm, k_of_split, group_m, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
               SPLIT: tl.constexpr, EVEN_K: tl.constexpr, TMA: tl.constexpr,
               IMPRECISE: tl.constexpr, INTEGER: tl.constexpr, CACHE: tl.constexpr, A_SCALE: tl.constexpr,
               W_SCALE: tl.constexpr, BIAS: tl.constexpr):
    tile_m, tile_n = place_of(tile, M, N, group_m, BLOCK_M, BLOCK_N)
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    ACC: tl.constexpr = tl.int32 if INTEGER else tl.float32
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=ACC)
    begin = split * k_of_split
    end = min(begin + k_of_split, K)
    if not TMA:
        # Rows beyond M and N wrap around: what they give is not stored.
        a_at = a + (rows % M)[:, None].to(tl.int64) * stride_am + (begin + depth)[None, :] * stride_ak
        w_at = w + (columns % N)[None, :].to(tl.int64) * stride_wn + (begin + depth)[:, None] * stride_wk
    for k in range(begin, end, BLOCK_K):
        if TMA:
            left = a.load([tile_m * BLOCK_M, k])
            right = w.load([tile_n * BLOCK_N, k]).T
        else:
            if EVEN_K:
                left = tl.load(a_at)
                right = tl.load(w_at, cache_modifier=CACHE)
            else:
                left = tl.load(a_at, mask=depth[None, :] < K - k, other=0.0)
                right = tl.load(w_at, mask=depth[:, None] < K - k, other=0.0, cache_modifier=CACHE)
            a_at += BLOCK_K * stride_ak
            w_at += BLOCK_K * stride_wk
        if INTEGER:
            acc = tl.dot(left, right, acc, out_dtype=tl.int32)
        else:
            acc = tl.dot(left, right, acc, max_num_imprecise_acc=IMPRECISE)
    if not SPLIT:
        scaled = with_scales(acc, a_scale, w_scale, bias, rows, columns, M, N, A_SCALE, W_SCALE, BIAS)
        store_tile(c, scaled, tile_m, tile_n, M, N, stride_cm, BLOCK_M, BLOCK_N)
    else:
        store_tile(c, acc, tile_m, tile_n, M, N, N, BLOCK_M, BLOCK_N)


@triton.jit(do_not_specialize=["group_m"])
def dense(a, w, c, a_scale, w_scale, bias, M, N, K, stride_ab, stride_am, stride_ak, stride_wb, stride_wn, stride_wk,
          stride_cb, stride_cm, k_of_split, group_m, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
          BLOCK_K: tl.constexpr, SPLIT: tl.constexpr, EVEN_K: tl.constexpr, PERSISTENT: tl.constexpr,
          TMA: tl.constexpr, IMPRECISE: tl.constexpr, INTEGER: tl.constexpr, CACHE: tl.constexpr,
          A_SCALE: tl.constexpr, W_SCALE: tl.constexpr, BIAS: tl.constexpr):
    """c: the output, or the partial sums [split, batch, M, N]."""
    split = tl.program_id(1)
    batch = tl.program_id(2).to(tl.int64)
    if not TMA:
        a += batch * stride_ab
        w += batch * stride_wb
    if not SPLIT:
        c += batch * stride_cb
    else:
        c += (split * tl.num_programs(2) + batch) * M * N
    a_scale += batch * (M if A_SCALE == "row" else 1)
    w_scale += batch * (N if W_SCALE == "row" else 1)
    if PERSISTENT:
        tiles = tl.cdiv(M, BLOCK_M) * tl.cdiv(N, BLOCK_N)
        for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
            dense_tile(tile, split, a, w, c, a_scale, w_scale, bias, M, N, K, stride_am, stride_ak, stride_wn,
                       stride_wk, stride_cm, k_of_split, group_m, BLOCK_M, BLOCK_N, BLOCK_K, SPLIT, EVEN_K, TMA,
                       IMPRECISE, INTEGER, CACHE, A_SCALE, W_SCALE, BIAS)
    else:
        dense_tile(tl.program_id(0), split, a, w, c, a_scale, w_scale, bias, M, N, K, stride_am, stride_ak,
                   stride_wn, stride_wk, stride_cm, k_of_split, group_m, BLOCK_M, BLOCK_N, BLOCK_K, SPLIT, EVEN_K,
                   TMA, IMPRECISE, INTEGER, CACHE, A_SCALE, W_SCALE, BIAS)


@triton.jit(do_not_specialize=["group_m"])
def blockscale(a, w, c, a_scale, w_scale, M, N, K, stride_cm, k_of_split, group_m, BLOCK_M: tl.constexpr,
               BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, SPLIT: tl.constexpr,
               EVEN_K: tl.constexpr, TMA: tl.constexpr, CACHE: tl.constexpr):
    """Scales of 1x128 for A and of 128x128 for W. BLOCK_K divides 128, so a product has one scale on each side."""
    tile_m, tile_n = place_of(tl.program_id(0), M, N, group_m, BLOCK_M, BLOCK_N)
    split = tl.program_id(1)
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    blocks = tl.cdiv(K, 128)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    begin = split * k_of_split
    end = min(begin + k_of_split, K)
    if not TMA:
        a_at = a + (rows % M)[:, None].to(tl.int64) * K + (begin + depth)[None, :]
        w_at = w + (columns % N)[None, :].to(tl.int64) * K + (begin + depth)[:, None]
    a_scale_at = a_scale + (rows % M).to(tl.int64) * blocks
    if BLOCK_N <= 128:
        w_scale_at = w_scale + tile_n * BLOCK_N // 128 * blocks
    else:
        w_scale_at = w_scale + (columns % N) // 128 * blocks
    for k in range(begin, end, BLOCK_K):
        if TMA:
            left = a.load([tile_m * BLOCK_M, k])
            right = w.load([tile_n * BLOCK_N, k]).T
        else:
            if EVEN_K:
                left = tl.load(a_at)
                right = tl.load(w_at, cache_modifier=CACHE)
            else:
                left = tl.load(a_at, mask=depth[None, :] < K - k, other=0.0)
                right = tl.load(w_at, mask=depth[:, None] < K - k, other=0.0, cache_modifier=CACHE)
            a_at += BLOCK_K
            w_at += BLOCK_K
        of_rows = tl.load(a_scale_at + k // 128)
        of_columns = tl.load(w_scale_at + k // 128)
        if BLOCK_N <= 128:
            acc += tl.dot(left, right) * (of_rows * of_columns)[:, None]
        else:
            acc += tl.dot(left, right) * of_rows[:, None] * of_columns[None, :]
    if not SPLIT:
        store_tile(c, acc, tile_m, tile_n, M, N, stride_cm, BLOCK_M, BLOCK_N)
    else:
        store_tile(c + split.to(tl.int64) * M * N, acc, tile_m, tile_n, M, N, N, BLOCK_M, BLOCK_N)


@triton.jit(do_not_specialize=["group_m"])
def mx(a, w, c, a_scale, w_scale, M, N, K, stride_cm, k_of_split, group_m, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
       BLOCK_K: tl.constexpr, SPLIT: tl.constexpr, EVEN_K: tl.constexpr,
       CACHE: tl.constexpr):
    """E2M1 with E8M0 scales for each 32 elements of K on both sides. BLOCK_K counts elements, two to a byte."""
    tile_m, tile_n = place_of(tl.program_id(0), M, N, group_m, BLOCK_M, BLOCK_N)
    split = tl.program_id(1)
    rows = (tile_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    columns = (tile_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    pairs = tl.arange(0, BLOCK_K // 2)
    groups = tl.arange(0, BLOCK_K // 32)
    of_row = tl.cdiv(K, 32)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    begin = split * k_of_split
    end = min(begin + k_of_split, K)
    for k in range(begin, end, BLOCK_K):
        pair = k // 2 + pairs
        group = k // 32 + groups
        a_at = a + rows[:, None].to(tl.int64) * (K // 2) + pair[None, :]
        w_at = w + columns[None, :].to(tl.int64) * (K // 2) + pair[:, None]
        a_scale_at = a_scale + rows[:, None].to(tl.int64) * of_row + group[None, :]
        w_scale_at = w_scale + columns[:, None].to(tl.int64) * of_row + group[None, :]
        if EVEN_K:
            left = tl.load(a_at)
            right = tl.load(w_at, cache_modifier=CACHE)
            of_rows = tl.load(a_scale_at)
            of_columns = tl.load(w_scale_at)
        else:
            left = tl.load(a_at, mask=pair[None, :] < K // 2, other=0)
            right = tl.load(w_at, mask=pair[:, None] < K // 2, other=0, cache_modifier=CACHE)
            of_rows = tl.load(a_scale_at, mask=group[None, :] < of_row, other=127)
            of_columns = tl.load(w_scale_at, mask=group[None, :] < of_row, other=127)
        acc = tl.dot_scaled(left, of_rows, "e2m1", right, of_columns, "e2m1", acc)
    if not SPLIT:
        store_tile(c, acc, tile_m, tile_n, M, N, stride_cm, BLOCK_M, BLOCK_N)
    else:
        store_tile(c + split.to(tl.int64) * M * N, acc, tile_m, tile_n, M, N, N, BLOCK_M, BLOCK_N)


@triton.jit(do_not_specialize=["splits"])
def reduce_splits(partial, c, a_scale, w_scale, bias, M, N, stride_cb, stride_cm, splits,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, A_SCALE: tl.constexpr, W_SCALE: tl.constexpr,
                  BIAS: tl.constexpr):
    """Adds up partial sums [split, batch, M, N], scales them, and writes C."""
    tile_m = tl.program_id(0)
    tile_n = tl.program_id(1)
    batch = tl.program_id(2).to(tl.int64)
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    mask = (rows[:, None] < M) & (columns[None, :] < N)
    at = partial + (batch * M + rows[:, None]) * N + columns[None, :]
    total = tl.load(at, mask=mask, other=0)
    for split in range(1, splits):
        total += tl.load(at + split * tl.num_programs(2).to(tl.int64) * M * N, mask=mask, other=0)
    a_scale += batch * (M if A_SCALE == "row" else 1)
    w_scale += batch * (N if W_SCALE == "row" else 1)
    scaled = with_scales(total, a_scale, w_scale, bias, rows, columns, M, N, A_SCALE, W_SCALE, BIAS)
    store_tile(c + batch * stride_cb, scaled, tile_m, tile_n, M, N, stride_cm, BLOCK_M, BLOCK_N)
