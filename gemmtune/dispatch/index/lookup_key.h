// What a problem and a device have in common with the rows that may serve them, as three words: everything except M. If
// a family's tables have no column for a type, that type is not part of the key. As in AITER, an a4w4 row serves
// outputs of any type, with and without bias, and a blockscale row serves both FP8 types. A layout or an epilogue other
// than the default is always part of the key. It is mixed into the device's word, so that default problems pay nothing
// for it.
#pragma once

#include <cstdint>

#include "gemmtune/dispatch/device_key.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

struct LookupKey {
  std::uint64_t device{};  // also layout and epilogue
  std::uint64_t sizes{};   // N and K
  std::uint64_t types{};   // also the batch; never 0

  bool operator==(const LookupKey&) const = default;
};

/// Whether M, N, K and the batch are sizes that a table can hold (1 to 2^31).
inline bool has_sizes_of_rows(const Problem& p) noexcept {
  const auto less_one = [](std::int64_t size) { return static_cast<std::uint64_t>(size) - 1; };  // 0 becomes huge
  return (less_one(p.m) | less_one(p.n) | less_one(p.k) | less_one(p.batch)) >> 31 == 0;
}

/// The two scalings of a problem as one number.
constexpr std::uint64_t scalings(Scaling a, Scaling w) noexcept {
  return static_cast<std::uint64_t>(a) << 4 | static_cast<std::uint64_t>(w);
}

// lookup_key() has this many bits for each.
static_assert(static_cast<int>(last_dtype) < 16 && static_cast<int>(last_scaling) < 16);

/// A hash of layout and epilogue without the bias; 0 for the default ones.
std::uint64_t variant_of(const Problem& problem) noexcept;

/// The key of a problem whose sizes a table can hold. `is_batched` says that its family is a batched one; that
/// matters only for a batch of 1.
inline LookupKey lookup_key(const Problem& p, const DeviceKey& device, bool is_batched) noexcept {
  const auto word = [](auto value) { return static_cast<std::uint64_t>(value); };
  const auto scaled = scalings(p.a.scaling, p.w.scaling);
  const bool is_block = scaled == scalings(Scaling::block_1x128, Scaling::block_128x128);
  const bool says_output =
      !is_block && !(is_mxfp4(p.a) && is_mxfp4(p.w)) && scaled != scalings(Scaling::row, Scaling::row);
  const auto type = [&](DType t) { return word(is_block && t == DType::e4m3fnuz ? DType::e4m3 : t); };
  const auto output = says_output ? word(p.out) << 8 | word(p.epilogue.bias) << 2 : 0;
  return {.device = is_plain(p) ? device.id : device.id ^ variant_of(p),
          .sizes = word(p.n) << 32 | word(p.k),
          .types = word(p.batch) << 32 | type(p.a.type) << 24 | type(p.w.type) << 20 | scaled << 12 | output |
                   word(p.packed) << 1 | word(is_batched)};
}

inline LookupKey lookup_key(const Problem& problem, const DeviceKey& device) noexcept {
  return lookup_key(problem, device, problem.batch > 1);
}

}  // namespace gemmtune
