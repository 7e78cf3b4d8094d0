// The product of two matrices of bytes on Hopper's 8-bit tensor cores, tiled exactly as a tuner chose.
//
// C[b, m, n] = sum over k of A[b, m, k] · W[b, n, k], times a_scale[b, m] · w_scale[b, n], plus bias[n]. Sums of int8
// are exact. Sums of e4m3 lose what lies more than 13 bits below the largest term, so they are added to float sums at
// regular intervals of K (promote_k).
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/kernels/fold_rules.h"
#include "gemmtune/kernels/wgmma_kernel.h"

namespace gemmtune {

struct WgmmaTile {
  std::int64_t block_m{128};  // rows of C for each multiprocessor: 128 or 256
  std::int64_t block_n{256};  // a multiple of 64
  std::int64_t stages{4};     // of the pipeline; each holds 128 of K of both operands
  std::int64_t cluster_m{1};  // blocks that share W's tile by multicast
  std::int64_t cluster_n{1};  // blocks that share A's tile by multicast
  std::int64_t group{8};      // tiles (of a cluster) that are worked on together
  TileOrder order{};
  std::int64_t promote_k{};  // e4m3 sums move to float sums after this much of K; a multiple of 128, or 0 for never
  std::int64_t split_k{1};

  auto operator<=>(const WgmmaTile&) const = default;
};

/// What is multiplied: the problem's sizes, output type and bias, the type of the operands, and whether a row has one
/// scale or (e4m3 only) one for each chunk of 128 of K.
struct WgmmaProduct {
  Problem problem{};
  FoldType type{FoldType::int8};
  FoldBase base{FoldBase::row};
};

/// Why there is no such kernel ("needs 262144 bytes of shared memory, and a block has 232448"), or "".
std::string why_no_wgmma(const WgmmaProduct& product, const WgmmaTile& tile);

/// Pieces of C of each warp that may be on their way to memory: two at least.
std::int64_t wgmma_staging(const WgmmaTile& tile);

/// Dynamic shared memory of a block, in bytes.
std::int64_t wgmma_shared_bytes(const WgmmaTile& tile);

/// The number of clusters' tiles of C, over all batches.
std::int64_t wgmma_tiles(const Problem& problem, const WgmmaTile& tile);

/// The source of the kernel. It is the same for all sizes.
KernelSource wgmma_source(const WgmmaProduct& product, const WgmmaTile& tile);

/// Scales are [batch][rows], or [ceil(K / 128)][batch][rows] with chunks. Short kernels start early (pdl.cuh): W must
/// be complete before the kernel that precedes this one on the stream; that kernel may write the other inputs. Throws
/// Error{unsupported} with the reason from why_no_wgmma, or with the compiler's log.
WgmmaKernel make_wgmma_gemm(const WgmmaProduct& product, const WgmmaTile& tile, std::int64_t multiprocessors);

}  // namespace gemmtune
