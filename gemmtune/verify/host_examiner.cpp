#include <algorithm>
#include <utility>
#include <vector>

#include "gemmtune/verify/examiner.h"
#include "gemmtune/verify/fingerprint.h"
#include "gemmtune/verify/layout_examiner.h"
#include "gemmtune/verify/negate.h"
#include "gemmtune/verify/reference.h"

namespace gemmtune {
namespace {

constexpr std::size_t largest_kept_output = std::size_t{64} << 20;

class HostExpectation final : public Expectation {
 public:
  HostExpectation(Device& device, const Problem& problem, const VerifyPolicy& policy, Reference reference)
      : device_(&device), problem_(problem), policy_(policy), reference_(std::move(reference)) {}

  /// An output with the same bytes as the last right one is not compared again.
  Verdict judge(const std::byte* c, Poison poison) override {
    std::vector<std::byte> found(static_cast<std::size_t>(operand_sizes(problem_).c));
    device_->download(c, found);
    if (found == right_) return right_verdict_;
    auto verdict = compare(problem_, reference_, found, policy_, poison);
    if (verdict.why_wrong.empty() && found.size() <= largest_kept_output) {
      right_ = std::move(found);
      right_verdict_ = verdict;
    }
    return verdict;
  }

 private:
  Device* device_;
  Problem problem_;
  VerifyPolicy policy_;
  Reference reference_;
  std::vector<std::byte> right_;  // the last C that was right
  Verdict right_verdict_{};
};

class HostExaminer final : public Examiner {
 public:
  explicit HostExaminer(Device& device) : device_(&device) {}

  /// The host's copy is freed tensor by tensor.
  void draw(const Problem& problem, Recipe recipe, std::uint64_t seed, const Inputs& to) override {
    auto host = draw_operands(problem, recipe, seed);
    const auto send = [this](std::vector<std::byte>& from, const Buffer& buffer) {
      if (!from.empty()) device_->upload(from, buffer.data());
      std::vector<std::byte>().swap(from);
    };
    send(host.a, to.a);
    send(host.a_scale, to.a_scale);
    send(host.w, to.w);
    send(host.w_scale, to.w_scale);
    send(host.bias, to.bias);
    send(host.residual, to.residual);
  }

  std::unique_ptr<Expectation> expect(const Problem& problem, const Inputs& inputs, const VerifyPolicy& policy,
                                      std::uint64_t seed) override {
    return std::make_unique<HostExpectation>(*device_, problem, policy, reference(problem, inputs, policy, seed));
  }

  void negate(DType type, const Buffer& elements) override {
    if (device_->info().kind == DeviceKind::cpu)
      return gemmtune::negate(type, std::span(elements.data(), elements.size()));
    auto host = download(elements);
    gemmtune::negate(type, host);
    device_->upload(host, elements.data());
  }

  std::uint64_t fingerprint(const Buffer& buffer) override { return gemmtune::fingerprint(*device_, buffer); }

  bool guards_intact(std::span<const GuardedBuffer* const> buffers) override {
    return std::ranges::all_of(buffers, [this](const auto* buffer) { return buffer->why_broken(*device_).empty(); });
  }

 private:
  Reference reference(const Problem& problem, const Inputs& inputs, const VerifyPolicy& policy, std::uint64_t seed) {
    if (device_->info().kind == DeviceKind::cpu)
      return compute_reference(problem,
                               Operands{.a = inputs.a.data(),
                                        .a_scale = inputs.a_scale.data(),
                                        .w = inputs.w.data(),
                                        .w_scale = inputs.w_scale.data(),
                                        .bias = inputs.bias.data(),
                                        .residual = inputs.residual.data()},
                               policy, seed);
    const HostOperands host{.a = download(inputs.a),
                            .a_scale = download(inputs.a_scale),
                            .w = download(inputs.w),
                            .w_scale = download(inputs.w_scale),
                            .bias = download(inputs.bias),
                            .residual = download(inputs.residual)};
    return compute_reference(problem, host, policy, seed);
  }

  std::vector<std::byte> download(const Buffer& buffer) {
    std::vector<std::byte> bytes(buffer.size());
    device_->download(buffer.data(), bytes);
    return bytes;
  }

  Device* device_;
};

}  // namespace

std::unique_ptr<Examiner> make_host_examiner(Device& device) {
  return make_layout_examiner(device, std::make_unique<HostExaminer>(device), make_host_relayout(device));
}

}  // namespace gemmtune
