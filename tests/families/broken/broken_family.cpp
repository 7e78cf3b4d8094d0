#include "tests/families/broken/broken_family.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <thread>

#include "gemmtune/core/error.h"
#include "tests/families/broken/process_faults.h"
#include "tests/families/broken/product.h"

namespace gemmtune::broken {
namespace {

constexpr std::int64_t tile = 16;

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const auto& fault : planted_faults()) names.emplace_back(fault.name);
  return names;
}

const PlantedFault* find_fault(std::string_view name) {
  const auto& faults = planted_faults();
  const auto found = std::find_if(faults.begin(), faults.end(), [&](const auto& fault) { return fault.name == name; });
  return found == faults.end() ? nullptr : &*found;
}

/// The last tile of C, which may be a partial one.
bool in_last_tile(const Problem& p, std::int64_t m, std::int64_t n) {
  return m >= (p.m - 1) / tile * tile && n >= (p.n - 1) / tile * tile;
}

class BrokenGemm final : public PreparedGemm {
 public:
  BrokenGemm(const Problem& problem, std::string_view fault)
      : problem_(problem),
        fault_(fault),
        a_decoder_(problem.a, problem.batch, problem.m, problem.k),
        w_decoder_(problem.w, problem.batch, problem.n, problem.k),
        a_(a_decoder_.count()),
        w_(problem.packed ? 0 : w_decoder_.count()),
        product_(problem) {
    if (!is("ignores_nan_scale")) return;
    a_decoder_.ignore_nan_scales();
    w_decoder_.ignore_nan_scales();
  }

  std::size_t packed_weight_bytes() const override { return problem_.packed ? w_decoder_.count() * sizeof(float) : 0; }

  std::size_t workspace_bytes() const override {
    if (is("needs_huge_workspace")) return std::size_t{1} << 60;
    return is("workspace_overrun") ? 1024 : 0;
  }

  void pack_weights(const Operands& operands, std::byte* packed, Stream&) override {
    if (is("pack_refuses")) fail(ErrorCode::unsupported, "planted: these weights cannot be packed");
    w_decoder_.decode(operands.w, operands.w_scale, floats(packed));
    if (is("pack_overrun")) packed[packed_weight_bytes()] = std::byte{0};
  }

  void launch(const Operands& operands, Stream& stream) noexcept override {
    disturb(stream);
    multiply(operands);
    if (is("right_slow")) multiply(operands), multiply(operands);
    spoil();
    product_.store(output(operands), [this](std::int64_t m, std::int64_t n) { return writes(m, n); });
    trespass(operands);
    ++launches_;
  }

 private:
  bool is(std::string_view fault) const { return fault_ == fault; }

  std::span<float> floats(std::byte* packed) const {
    return {reinterpret_cast<float*>(packed), static_cast<std::size_t>(w_decoder_.count())};
  }

  // What happens besides the arithmetic: noise, delay, failure, death.
  void disturb(Stream& stream) noexcept {
    if (is("prints_to_stdout")) print_to_stdout();
    if (is("floods_stderr") && launches_ == 0) flood_stderr();
    if (is("slow_answer") && launches_ == 0) std::this_thread::sleep_for(std::chrono::seconds(2));
    if (is("reports_failure")) stream.report_failure("planted failure of a launch");
    if (const auto why_not = harm_process(fault_); !why_not.empty()) stream.report_failure(why_not);
  }

  std::span<const float> weights(const Operands& operands) {
    if (problem_.packed)
      return {reinterpret_cast<const float*>(operands.packed_w), static_cast<std::size_t>(w_decoder_.count())};
    w_decoder_.decode(operands.w, operands.w_scale, w_);
    return w_;
  }

  void multiply(const Operands& operands) {
    const auto tail = std::min(problem_.k, std::max<std::int64_t>(problem_.k % 32, 8));
    a_decoder_.decode(operands.a, operands.a_scale, a_);
    const auto w = weights(operands);
    product_.multiply(a_, w, is("k_tail") ? problem_.k - tail : problem_.k);
    // For N(0, 1) operands with K of 128 or more, no sum comes near this share of the product of the norms. For
    // operands of one sign, sums are about 2/π of that product.
    if (is("drops_one_sign")) product_.saturate(a_, w, 0.55);
    if (problem_.epilogue.bias) product_.add_bias(operands.bias);
  }

  void spoil() {
    const auto last = problem_.batch - 1;
    if (is("one_element") || (is("wrong_after_first") && launches_ > 0))
      product_.at(last, problem_.m / 2, problem_.n / 2) += 16 * std::sqrt(static_cast<double>(problem_.k));
    if (!is("one_tile")) return;
    for (std::int64_t m = 0; m < problem_.m; ++m)
      for (std::int64_t n = 0; n < problem_.n; ++n)
        if (in_last_tile(problem_, m, n)) product_.at(last, m, n) = 0;
  }

  bool writes(std::int64_t m, std::int64_t n) const {
    if (is("last_row")) return m != problem_.m - 1;
    return !is("unwritten_tile") || !in_last_tile(problem_, m, n);
  }

  std::byte* output(const Operands& operands) {
    if (first_output_ == nullptr) first_output_ = operands.c;
    return is("writes_first_output") ? first_output_ : operands.c;
  }

  void trespass(const Operands& operands) const {
    const auto flip = [](std::byte* at) { *at = ~*at; };
    if (is("writes_after_end")) flip(operands.c + operand_sizes(problem_).c);
    if (is("writes_before_start")) flip(operands.c - 1);
    if (is("workspace_overrun")) operands.workspace[workspace_bytes()] = std::byte{0};
    if (is("writes_input")) *const_cast<std::byte*>(operands.a) = std::byte{1};
  }

  Problem problem_;
  std::string fault_;
  Decoded a_decoder_;
  Decoded w_decoder_;
  std::vector<float> a_;
  std::vector<float> w_;
  Product product_;
  std::int64_t launches_{};
  std::byte* first_output_{};
};

class BrokenFamily final : public KernelFamily {
 public:
  explicit BrokenFamily(std::vector<std::string> faults) : faults_(std::move(faults)) {}

  std::string_view name() const override { return "broken"; }
  std::string version() const override { return "1"; }

  std::string why_not(const Problem& problem, const DeviceInfo&) const override {
    const bool stored = is_output(problem.out);
    return stored ? "" : "output is neither f32, f16 nor bf16";
  }

  std::vector<Candidate> candidates(const Problem&, const DeviceInfo&) const override {
    std::vector<Candidate> all;
    for (const auto& fault : faults_) all.push_back(candidate(fault));
    return all;
  }

  std::unique_ptr<PreparedGemm> make(const Problem& problem, const Candidate& chosen,
                                     const DeviceInfo&) const override {
    if (find_fault(chosen.name) == nullptr) fail(ErrorCode::unsupported, "no fault is named {}", chosen.name);
    if (chosen.name == "prepare_refuses") fail(ErrorCode::unsupported, "planted: prepare refuses");
    if (chosen.name == "prepare_throws") throw std::runtime_error("planted: the compiler gave up");
    return std::make_unique<BrokenGemm>(problem, chosen.name);
  }

 private:
  std::vector<std::string> faults_;
};

}  // namespace

Candidate candidate(std::string_view fault) {
  return {.family = "broken", .name = std::string(fault), .params = {{.key = "fault", .value = std::string(fault)}}};
}

std::unique_ptr<KernelFamily> make_family(std::vector<std::string> faults) {
  return std::make_unique<BrokenFamily>(std::move(faults));
}

std::unique_ptr<KernelFamily> make_family() { return make_family(all_names()); }

}  // namespace gemmtune::broken
