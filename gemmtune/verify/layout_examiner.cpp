#include "gemmtune/verify/layout_examiner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/relayout.h"

namespace gemmtune {
namespace {

Problem without_layout(Problem problem) {
  problem.layout = {};
  return problem;
}

/// A tensor of a problem that a layout is about.
struct Part {
  Buffer Inputs::*input{};
  StoredMatrix matrix{};
  Major major{};

  bool is_plain() const { return gemmtune::is_plain(matrix, major); }
};

std::vector<Part> parts_of(const Problem& problem) {
  std::vector<Part> parts{{&Inputs::a, stored_a(problem), problem.layout.a},
                          {&Inputs::w, stored_w(problem), problem.layout.w}};
  if (problem.epilogue.residual) parts.push_back({&Inputs::residual, stored_c(problem), Major::k});
  return parts;
}

class HostRelayout final : public Relayout {
 public:
  explicit HostRelayout(Device& device) : device_(&device) {}

  void store(const StoredMatrix& matrix, Major major, const std::byte* plain, std::byte* stored) override {
    device_->upload(to_stored(download(plain, plain_bytes(matrix)), matrix, major), stored);
  }

  void gather(const StoredMatrix& matrix, Major major, const std::byte* stored, std::byte* plain) override {
    device_->upload(to_plain(download(stored, matrix.bytes()), matrix, major), plain);
  }

  bool has_poisoned_gaps(const StoredMatrix& matrix, const std::byte* stored, Poison poison) override {
    return why_gaps_broken(matrix, download(stored, matrix.bytes()), poison).empty();
  }

 private:
  static std::int64_t plain_bytes(const StoredMatrix& m) { return storage_bytes(m.type, m.batch * m.rows * m.cols); }

  std::vector<std::byte> download(const std::byte* from, std::int64_t bytes) {
    std::vector<std::byte> all(static_cast<std::size_t>(bytes));
    device_->download(from, all);
    return all;
  }

  Device* device_;
};

class LayoutExpectation final : public Expectation {
 public:
  LayoutExpectation(Device& device, std::shared_ptr<Relayout> relayout, const Problem& problem,
                    std::unique_ptr<Expectation> plain)
      : device_(&device),
        relayout_(std::move(relayout)),
        matrix_(stored_c(problem)),
        plain_(std::move(plain)),
        plain_c_(device.allocate(static_cast<std::size_t>(operand_sizes(without_layout(problem)).c))) {}

  Verdict judge(const std::byte* c, Poison poison) override {
    relayout_->gather(matrix_, Major::k, c, plain_c_.data());
    auto verdict = plain_->judge(plain_c_.data(), poison);
    if (relayout_->has_poisoned_gaps(matrix_, c, poison)) return verdict;
    verdict.accuracy.guards_intact = false;
    const auto why = why_gaps_broken(matrix_, download(c), poison);
    verdict.why_wrong += verdict.why_wrong.empty() ? why : ". " + why;
    return verdict;
  }

 private:
  std::vector<std::byte> download(const std::byte* c) {
    std::vector<std::byte> all(static_cast<std::size_t>(matrix_.bytes()));
    device_->download(c, all);
    return all;
  }

  Device* device_;
  std::shared_ptr<Relayout> relayout_;  // an expectation may outlive its examiner
  StoredMatrix matrix_;
  std::unique_ptr<Expectation> plain_;
  Buffer plain_c_;
};

class LayoutExaminer final : public Examiner {
 public:
  LayoutExaminer(Device& device, std::unique_ptr<Examiner> plain, std::unique_ptr<Relayout> relayout)
      : device_(&device), plain_(std::move(plain)), relayout_(std::move(relayout)) {}

  void draw(const Problem& problem, Recipe recipe, std::uint64_t seed, const Inputs& to) override {
    Inputs drawn = borrow(problem, to);
    plain_->draw(without_layout(problem), recipe, seed, drawn);
    for (const auto& part : parts_of(problem))
      if (!part.is_plain())
        relayout_->store(part.matrix, part.major, (drawn.*part.input).data(), (to.*part.input).data());
  }

  std::unique_ptr<Expectation> expect(const Problem& problem, const Inputs& inputs, const VerifyPolicy& policy,
                                      std::uint64_t seed) override {
    const Inputs gathered = borrow(problem, inputs);
    for (const auto& part : parts_of(problem))
      if (!part.is_plain())
        relayout_->gather(part.matrix, part.major, (inputs.*part.input).data(), (gathered.*part.input).data());
    auto expectation = plain_->expect(without_layout(problem), gathered, policy, seed);
    if (is_plain(stored_c(problem), Major::k)) return expectation;
    return std::make_unique<LayoutExpectation>(*device_, relayout_, problem, std::move(expectation));
  }

  void negate(DType type, const Buffer& elements) override { plain_->negate(type, elements); }

  std::uint64_t fingerprint(const Buffer& buffer) override { return plain_->fingerprint(buffer); }

  bool guards_intact(std::span<const GuardedBuffer* const> buffers) override { return plain_->guards_intact(buffers); }

 private:
  /// Inputs without gaps: those of the problem where they have none, else memory of their own.
  Inputs borrow(const Problem& problem, const Inputs& inputs) {
    Inputs plain{.a = view(inputs.a),
                 .a_scale = view(inputs.a_scale),
                 .w = view(inputs.w),
                 .w_scale = view(inputs.w_scale),
                 .bias = view(inputs.bias),
                 .residual = view(inputs.residual)};
    for (const auto& [input, m, major] : parts_of(problem))
      if (!is_plain(m, major))
        plain.*input = device_->allocate(static_cast<std::size_t>(storage_bytes(m.type, m.batch * m.rows * m.cols)));
    return plain;
  }

  /// The same memory, which stays the other's.
  static Buffer view(const Buffer& buffer) {
    return {buffer.data(), buffer.size(), [](std::byte*) {}};
  }

  Device* device_;
  std::unique_ptr<Examiner> plain_;
  std::shared_ptr<Relayout> relayout_;
};

bool holds_poison_at(std::span<const std::byte> bytes, std::int64_t offset, Poison poison) {
  const int wanted = offset % 2 == 0 ? poison.pattern & 0xff : poison.pattern >> 8;
  return bytes[static_cast<std::size_t>(offset)] == static_cast<std::byte>(wanted);
}

}  // namespace

std::string why_gaps_broken(const StoredMatrix& matrix, std::span<const std::byte> stored, Poison poison) {
  std::int64_t broken = 0;
  std::int64_t first = -1;
  for_each_gap(matrix, [&](std::int64_t offset, std::int64_t bytes) {
    for (std::int64_t i = offset; i < offset + bytes; ++i) {
      if (holds_poison_at(stored, i, poison)) continue;
      if (first < 0) first = i;
      ++broken;
    }
  });
  if (broken == 0) return {};
  const std::int64_t element = first / storage_bytes(matrix.type, 1);
  const std::int64_t within = element % matrix.batch_stride;
  const auto row = std::min(within / matrix.leading_dimension, matrix.rows - 1);
  const auto batch = matrix.batch == 1 ? std::string() : fmt::format(" of matrix {}", element / matrix.batch_stride);
  return fmt::format("{} bytes of the gaps between the rows of C were overwritten, the first behind row {}{}", broken,
                     row, batch);
}

std::unique_ptr<Relayout> make_host_relayout(Device& device) { return std::make_unique<HostRelayout>(device); }

std::unique_ptr<Examiner> make_layout_examiner(Device& device, std::unique_ptr<Examiner> plain,
                                               std::unique_ptr<Relayout> relayout) {
  return std::make_unique<LayoutExaminer>(device, std::move(plain), std::move(relayout));
}

}  // namespace gemmtune
