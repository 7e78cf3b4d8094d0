// Kernels that are right when they are looked at in a way that they expect, and wrong otherwise. For f32 problems with
// unpacked weights.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/families/family.h"
#include "tests/families/broken/product.h"

namespace gemmtune::cheats {

using LaunchCount = std::shared_ptr<std::atomic<std::int64_t>>;

class Gemm final : public PreparedGemm {
 public:
  Gemm(const Problem& problem, std::string cheat, LaunchCount launches)
      : problem_(problem),
        cheat_(std::move(cheat)),
        launches_(std::move(launches)),
        a_decoder_(problem.a, problem.batch, problem.m, problem.k),
        w_decoder_(problem.w, problem.batch, problem.n, problem.k),
        product_(problem) {}

  void launch(const Operands& operands, Stream&) noexcept override {
    const auto launch = ++*launches_;
    outputs_.insert(outputs_.size() < 8 ? operands.c : *outputs_.begin());
    if (is("skips_after_60") && launch > 60) return;
    if (is("computes_over_nans_only") && !holds_nan(operands.c)) return;
    if (zeros_instead(operands)) return put_zeros(operands.c);
    product_.multiply(values_of(operands.a, a_decoder_, is("caches_a")),
                      values_of(operands.w, w_decoder_, is("caches_w")), problem_.k);
    const bool unseen = is("right_on_eight_outputs") && !outputs_.contains(operands.c);
    if (unseen || (is("wrong_after_60") && launch > 60)) product_.at(0, 0, 0) += 1e3;
    product_.store(operands.c, [](std::int64_t, std::int64_t) { return true; });
    if (is("writes_a_tile_too_far")) write_far(operands.c);
  }

 private:
  bool is(std::string_view cheat) const { return cheat_ == cheat; }

  bool zeros_instead(const Operands& operands) const {
    if (is("knows_the_usual_poison")) return first_bits(operands.c) != 0xfff5fff5U;
    return is("zeros_over_numbers") && !holds_nan(operands.c);
  }

  static std::uint32_t first_bits(const std::byte* c) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, c, sizeof bits);
    return bits;
  }

  static bool holds_nan(const std::byte* c) { return (first_bits(c) & 0x7fffffffU) > 0x7f800000U; }

  void put_zeros(std::byte* c) const { std::memset(c, 0, static_cast<std::size_t>(operand_sizes(problem_).c)); }

  /// Four rows, a hundred rows behind the end of the first output.
  void write_far(std::byte* c) {
    if (first_output_ == nullptr) first_output_ = c;
    const auto row = static_cast<std::size_t>(storage_bytes(problem_.out, problem_.n));
    std::memset(first_output_ + operand_sizes(problem_).c + 100 * row, 1, 4 * row);
  }

  std::span<const float> values_of(const std::byte* stored, broken::Decoded& decoder, bool cached) {
    auto& values = decoded_[stored];
    if (cached && !values.empty()) return values;
    values.resize(static_cast<std::size_t>(decoder.count()));
    decoder.decode(stored, nullptr, values);
    return values;
  }

  Problem problem_;
  std::string cheat_;
  LaunchCount launches_;
  broken::Decoded a_decoder_;
  broken::Decoded w_decoder_;
  broken::Product product_;
  std::map<const std::byte*, std::vector<float>> decoded_;
  std::set<const std::byte*> outputs_;  // the first eight
  std::byte* first_output_{};
};

inline Candidate candidate(const std::string& cheat) { return {.family = "cheats", .name = cheat}; }

/// Prepares a cheat by name. "honest" is right.
class Family final : public KernelFamily {
 public:
  explicit Family(LaunchCount launches = std::make_shared<std::atomic<std::int64_t>>())
      : launches_(std::move(launches)) {}

  std::string_view name() const override { return "cheats"; }
  std::string version() const override { return "1"; }
  std::string why_not(const Problem&, const DeviceInfo&) const override { return ""; }
  std::vector<Candidate> candidates(const Problem&, const DeviceInfo&) const override { return {candidate("honest")}; }

  std::unique_ptr<PreparedGemm> make(const Problem& problem, const Candidate& chosen,
                                     const DeviceInfo&) const override {
    return std::make_unique<Gemm>(problem, chosen.name, launches_);
  }

 private:
  LaunchCount launches_;
};

}  // namespace gemmtune::cheats
