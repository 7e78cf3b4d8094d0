// What a capture counts as one, as machine words: made, hashed and compared in each call that is captured, so without
// branches and in few instructions.
#pragma once

#include <cstdint>

#include "gemmtune/gemm/problem.h"
#include "gemmtune/table/match_kind.h"

namespace gemmtune {

/// What a capture knows problems other than plain ones by (is_plain() in gemm/problem.h): the number that it gave to
/// their layout and epilogue. 0 is the plain one's.
using VariantNumber = std::uint32_t;

/// A problem on a device, matched one way.
class CapturedKey {
 public:
  struct Context {
    std::uint32_t device{};
    MatchKind match{};
    VariantNumber variant{};
  };

  CapturedKey() = default;
  CapturedKey(const Problem& p, const Context& context) noexcept
      : m_(word(p.m)),
        n_(word(p.n)),
        k_(word(p.k)),
        batch_(word(p.batch)),
        rest_(rest_of(p, context.match)),
        device_(context.device),
        variant_(context.variant) {}

  /// As if it were plain.
  Problem problem() const noexcept;
  VariantNumber variant() const noexcept { return variant_; }
  MatchKind match() const noexcept { return static_cast<MatchKind>(rest_ >> 56); }
  std::uint32_t device() const noexcept { return device_; }

  bool operator==(const CapturedKey& other) const noexcept {
    const auto sizes = (m_ ^ other.m_) | (n_ ^ other.n_) | (k_ ^ other.k_) | (batch_ ^ other.batch_);
    return (sizes | (rest_ ^ other.rest_) | (device_ ^ other.device_) | (variant_ ^ other.variant_)) == 0;
  }

  /// Of all but device and variant: a process has few. A sum of products, whose upper bits are the good ones.
  std::uint64_t hash() const noexcept {
    return m_ * 0x9e3779b97f4a7c15ULL + n_ * 0xc2b2ae3d27d4eb4fULL + k_ * 0x165667b19e3779f9ULL +
           batch_ * 0xd6e8feb86659fd93ULL + rest_ * 0xa0761d6478bd642fULL;
  }

 private:
  static std::uint64_t word(std::int64_t size) noexcept { return static_cast<std::uint64_t>(size); }

  /// The types as they stand in memory, so that compilers load four at once, and the match.
  static std::uint64_t rest_of(const Problem& p, MatchKind match) noexcept {
    const auto byte = [](auto value) { return static_cast<std::uint32_t>(value); };
    const auto sides = byte(p.a.type) | byte(p.a.scaling) << 8 | byte(p.w.type) << 16 | byte(p.w.scaling) << 24;
    const auto others = byte(p.out) | byte(p.epilogue.bias) << 8 | byte(p.packed) << 16 | byte(match) << 24;
    return sides | std::uint64_t{others} << 32;
  }

  std::uint64_t m_{};
  std::uint64_t n_{};
  std::uint64_t k_{};
  std::uint64_t batch_{};
  std::uint64_t rest_{};
  std::uint32_t device_{};
  VariantNumber variant_{};
};

}  // namespace gemmtune
