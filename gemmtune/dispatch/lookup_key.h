// What a problem and a device have in common with the rows that may serve them, as three words: everything but M.
//
// Types for which a family's tables have no column are no part of it: an a4w4 row serves outputs of any type, with and
// without bias, and a blockscale row either of the two FP8 types, as in AITER.
#pragma once

#include <cstdint>

#include "gemmtune/dispatch/device_key.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

struct LookupKey {
  std::uint64_t device{};
  std::uint64_t sizes{};  // N and K
  std::uint64_t types{};  // the batch too; never 0

  bool operator==(const LookupKey&) const = default;
};

/// Whether N, K and the batch, and M, are sizes that a table can hold (1 to 2^31).
inline bool has_sizes_of_rows(const Problem& p) noexcept {
  return static_cast<std::uint64_t>((p.m - 1) | (p.n - 1) | (p.k - 1) | (p.batch - 1)) >> 31 == 0;
}

/// `p` with what its tables have no column for as they read: out = bf16, no bias, …
inline Problem as_keyed(const Problem& p) noexcept {
  const bool is_mx = p.a.scaling == Scaling::mx_1x32 && p.w.scaling == Scaling::mx_1x32;
  const bool is_block = p.a.scaling == Scaling::block_1x128 && p.w.scaling == Scaling::block_128x128;
  const bool is_row = p.a.scaling == Scaling::row && p.w.scaling == Scaling::row;
  Problem keyed = p;
  if (is_block && p.a.type == DType::e4m3fnuz) keyed.a.type = DType::e4m3;
  if (is_block && p.w.type == DType::e4m3fnuz) keyed.w.type = DType::e4m3;
  if (is_mx || is_block || is_row) {
    keyed.out = DType::bf16;
    keyed.bias = false;
  }
  return keyed;
}

/// The key of a problem whose sizes are those of rows. `is_batched` says that it is one of the batched families, which
/// matters to a batch of 1 only.
inline LookupKey lookup_key(const Problem& problem, const DeviceKey& device, bool is_batched) noexcept {
  const auto p = as_keyed(problem);
  const auto word = [](auto value) { return static_cast<std::uint64_t>(value); };
  return {.device = device.id,
          .sizes = word(p.n) << 32 | word(p.k),
          .types = word(p.batch) << 32 | word(p.a.type) << 24 | word(p.a.scaling) << 20 | word(p.w.type) << 16 |
                   word(p.w.scaling) << 12 | word(p.out) << 8 | word(p.bias) << 2 | word(p.packed) << 1 |
                   word(is_batched)};
}

inline LookupKey lookup_key(const Problem& problem, const DeviceKey& device) noexcept {
  return lookup_key(problem, device, problem.batch > 1);
}

}  // namespace gemmtune
