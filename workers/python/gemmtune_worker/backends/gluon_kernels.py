"""The Gluon kernel for Hopper: TMA fetches boxes of A and W into a ring of buffers, wgmma multiplies them.

Loads run STAGES - 1 steps ahead. A product is started before the next load is, so that the tensor cores do not wait
for the thread that fetches. FP8 products are moved to f32 after each step (PROMOTE): the tensor cores keep 13 bits.
"""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (mbarrier, tma, warpgroup_mma, warpgroup_mma_init,
                                                              warpgroup_mma_wait)


@gluon.jit
def fetch(a, w, row, column, step, steps, a_buffers, w_buffers, bars, BLOCK_K: gl.constexpr, STAGES: gl.constexpr):
    wanted = step < steps
    slot = step % STAGES
    bar = bars.index(slot)
    mbarrier.expect(bar, a.block_type.nbytes + w.block_type.nbytes, pred=wanted)
    tma.async_copy_global_to_shared(a, [row, step * BLOCK_K], bar, a_buffers.index(slot), pred=wanted)
    tma.async_copy_global_to_shared(w, [column, step * BLOCK_K], bar, w_buffers.index(slot), pred=wanted)


@gluon.jit
def gemm(a, w, c, a_scale, w_scale, M, N, K, stride_cm, BLOCK_M: gl.constexpr, BLOCK_N: gl.constexpr,
         BLOCK_K: gl.constexpr, STAGES: gl.constexpr, GROUP_M: gl.constexpr, INSTRUCTION_K: gl.constexpr,
         PROMOTE: gl.constexpr, A_SCALE: gl.constexpr, W_SCALE: gl.constexpr, num_warps: gl.constexpr):
    a_buffers = gl.allocate_shared_memory(a.dtype, [STAGES, BLOCK_M, BLOCK_K], a.layout)
    w_buffers = gl.allocate_shared_memory(w.dtype, [STAGES, BLOCK_N, BLOCK_K], w.layout)
    bars = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(STAGES):
        mbarrier.init(bars.index(i), count=1)

    tile = gl.program_id(0)
    tiles_m = gl.cdiv(M, BLOCK_M)
    tiles_n = gl.cdiv(N, BLOCK_N)
    of_group = GROUP_M * tiles_n
    first = tile // of_group * GROUP_M
    rows_of_group = gl.minimum(tiles_m - first, GROUP_M)
    row = (first + tile % of_group % rows_of_group) * BLOCK_M
    column = tile % of_group // rows_of_group * BLOCK_N

    steps = gl.cdiv(K, BLOCK_K)
    for i in gl.static_range(STAGES - 1):
        fetch(a, w, row, column, i, steps, a_buffers, w_buffers, bars, BLOCK_K, STAGES)

    layout: gl.constexpr = gl.NVMMADistributedLayout(version=[3, 0], warps_per_cta=[num_warps, 1],
                                                     instr_shape=[16, BLOCK_N, INSTRUCTION_K])
    total = gl.zeros((BLOCK_M, BLOCK_N), dtype=gl.float32, layout=layout)
    if PROMOTE:
        for step in range(steps):
            slot = step % STAGES
            mbarrier.wait(bars.index(slot), (step // STAGES) & 1)
            part = warpgroup_mma(a_buffers.index(slot), w_buffers.index(slot).permute((1, 0)), total, use_acc=False,
                                 is_async=True)
            fetch(a, w, row, column, step + STAGES - 1, steps, a_buffers, w_buffers, bars, BLOCK_K, STAGES)
            total += warpgroup_mma_wait(num_outstanding=0, deps=(part, ))
    else:
        acc = warpgroup_mma_init(total)
        for step in range(steps):
            slot = step % STAGES
            mbarrier.wait(bars.index(slot), (step // STAGES) & 1)
            # The product before this one has ended then: what it read may be overwritten.
            total = warpgroup_mma_wait(num_outstanding=0, deps=(acc, ))
            acc = warpgroup_mma(a_buffers.index(slot), w_buffers.index(slot).permute((1, 0)), total, is_async=True)
            fetch(a, w, row, column, step + STAGES - 1, steps, a_buffers, w_buffers, bars, BLOCK_K, STAGES)
        total = warpgroup_mma_wait(num_outstanding=0, deps=(acc, ))

    rows = row + gl.arange(0, BLOCK_M, layout=gl.SliceLayout(1, layout))
    columns = column + gl.arange(0, BLOCK_N, layout=gl.SliceLayout(0, layout))
    if A_SCALE == "row":
        scale = gl.load(a_scale + rows, mask=rows < M, other=0.0)[:, None]
        if W_SCALE == "row":  # both first: a large one and a small one may be far apart
            scale = scale * gl.load(w_scale + columns, mask=columns < N, other=0.0)[None, :]
        elif W_SCALE == "tensor":
            scale = scale * gl.load(w_scale)
        total *= scale
    elif A_SCALE == "tensor":
        of_tensor = gl.load(a_scale)
        if W_SCALE == "row":
            total *= of_tensor * gl.load(w_scale + columns, mask=columns < N, other=0.0)[None, :]
        elif W_SCALE == "tensor":
            total *= of_tensor * gl.load(w_scale)
    stored: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [num_warps, 1], [1, 0])
    out = gl.convert_layout(total.to(c.dtype.element_ty), stored)
    rows_out = row + gl.arange(0, BLOCK_M, layout=gl.SliceLayout(1, stored))
    columns_out = column + gl.arange(0, BLOCK_N, layout=gl.SliceLayout(0, stored))
    at = c + rows_out[:, None].to(gl.int64) * stride_cm + columns_out[None, :]
    gl.store(at, out, mask=(rows_out[:, None] < M) & (columns_out[None, :] < N))
