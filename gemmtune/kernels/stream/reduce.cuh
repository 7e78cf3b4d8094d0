// Adding the sums of warpgroups that split K, those of a block and those of a cluster. Each of them finishes a share of
// the pieces (stream/tile.cuh), and sends its sums of all other pieces to those that finish these.
#pragma once

#include "gemmtune/kernels/sm90_ptx.cuh"
#include "gemmtune/kernels/small_m/ptx.cuh"
#include "gemmtune/kernels/stream/tile.cuh"

/// Four sums of a thread: two rows of W that are 8 apart, for two tokens.
struct Piece {
  float of[4];
};

/// A warpgroup that multiplies, and the shared memory in which sums arrive.
struct Reducer {
  u32 far_sums;  // far_bytes for each warpgroup of the block
  u32 far_full;  // an mbarrier for each warpgroup of the block
  int group;
  int k_group;
  int k_block;
  int sharer;

  __device__ int part() const { return k_block * k_groups + k_group; }
  __device__ u32 sums_of(int warpgroup) const { return far_sums + warpgroup * far_bytes; }
  __device__ int warpgroup() const { return k_group * row_groups + group; }

  /// Which of the parts along K finishes a piece.
  __device__ int owner_of(int piece) const { return (piece + group) % parts; }

  /// Within a cluster, the bytes count on the receiver's mbarrier. Without one, receive() has a barrier.
  __device__ void send(int piece, const float* four) const {
    const int owner = owner_of(piece);
    const int slot = (part() - owner + parts) % parts - 1;
    const int to_warpgroup = owner % k_groups * row_groups + group;
    const u32 to = sums_of(to_warpgroup) + (piece / parts * (parts - 1) + slot) * piece_bytes + threadIdx.x % 128 * 16;
    if (cluster == 1) {
      st_shared_v4(
          to, {__float_as_uint(four[0]), __float_as_uint(four[1]), __float_as_uint(four[2]), __float_as_uint(four[3])});
      return;
    }
    const u32 rank = rank_of(owner / k_groups, sharer);
    st_async(mapa(to, rank), {four[0], four[1], four[2], four[3]}, mapa(far_full + 8 * to_warpgroup, rank));
  }

  /// Waits for what the other parts send for `own` pieces.
  __device__ void receive(int own) const {
    if (cluster == 1) {
      if (parts > 1) named_barrier_sync(1 + group, 128 * k_groups);
      return;
    }
    if (parts == 1 || own == 0) return;
    const u32 full = far_full + 8 * warpgroup();
    if (threadIdx.x % 128 == 0) mbarrier_arrive_expect_tx(full, own * (parts - 1) * piece_bytes);
    mbarrier_wait_cluster(full, 0);
  }

  /// Adds what the other parts have sent, always in the same order.
  __device__ Piece finish(int piece, const float* four) const {
    Piece sum = {{four[0], four[1], four[2], four[3]}};
    const u32 from = sums_of(warpgroup()) + piece / parts * (parts - 1) * piece_bytes;
#pragma unroll
    for (int slot = 0; slot < parts - 1; ++slot) {
      const uint4 other = ld_shared_v4(from + slot * piece_bytes + threadIdx.x % 128 * 16);
      sum.of[0] += __uint_as_float(other.x);
      sum.of[1] += __uint_as_float(other.y);
      sum.of[2] += __uint_as_float(other.z);
      sum.of[3] += __uint_as_float(other.w);
    }
    return sum;
  }

  /// Calls write(piece, sub, eight) for each finished piece: the sums of the warpgroup's group `sub` of 64 rows, for
  /// tokens 8 · eight … 8 · eight + 7. Called once. Every warpgroup waits for all that is sent to it, so nothing is on
  /// its way to a block that has ended.
  template <typename Write>
  __device__ void reduce(const float (&totals)[subtiles][held], Write write) const {
    int own = 0;
#pragma unroll
    for (int piece = 0; piece < pieces; ++piece) {
      if (owner_of(piece) == part())
        ++own;
      else
        send(piece, &totals[piece / eights][piece % eights * 4]);
    }
    receive(own);
#pragma unroll
    for (int piece = 0; piece < pieces; ++piece)
      if (owner_of(piece) == part())
        write(finish(piece, &totals[piece / eights][piece % eights * 4]), piece / eights, piece % eights);
  }
};
