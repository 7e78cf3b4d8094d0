// The key by which a capture counts, as machine words. It is made, hashed and compared in each captured call, so it
// uses few instructions and no branches.
#pragma once

#include <cstdint>

#include "gemmtune/gemm/problem.h"
#include "gemmtune/table/match_kind.h"

namespace gemmtune {

/// The number that a capture gives to the layout and epilogue of a problem that is not plain (is_plain() in
/// gemm/problem.h). 0 stands for a plain problem.
using VariantNumber = std::uint32_t;

/// A problem on a device, with the way in which it was matched.
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

  /// The problem without the layout and epilogue that variant() stands for.
  Problem problem() const noexcept;
  VariantNumber variant() const noexcept { return variant_; }
  MatchKind match() const noexcept { return static_cast<MatchKind>(rest_ >> 56); }
  std::uint32_t device() const noexcept { return device_; }

  bool operator==(const CapturedKey& other) const noexcept {
    const auto sizes = (m_ ^ other.m_) | (n_ ^ other.n_) | (k_ ^ other.k_) | (batch_ ^ other.batch_);
    return (sizes | (rest_ ^ other.rest_) | (device_ ^ other.device_) | (variant_ ^ other.variant_)) == 0;
  }

  /// The hash leaves out device and variant, because a process has few of them. It is a sum of products, so its upper
  /// bits are the good ones.
  std::uint64_t hash() const noexcept {
    return m_ * 0x9e3779b97f4a7c15ULL + n_ * 0xc2b2ae3d27d4eb4fULL + k_ * 0x165667b19e3779f9ULL +
           batch_ * 0xd6e8feb86659fd93ULL + rest_ * 0xa0761d6478bd642fULL;
  }

 private:
  static std::uint64_t word(std::int64_t size) noexcept { return static_cast<std::uint64_t>(size); }

  /// The types in memory order, so that compilers load four at once, together with the match.
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
