#include "gemmtune/verify/gpu/gpu_examiner.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/verify/gpu/examiner_kernels.h"
#include "gemmtune/verify/gpu/gpu_draw.h"
#include "gemmtune/verify/gpu/gpu_reference.h"
#include "gemmtune/verify/gpu/gpu_relayout.h"
#include "gemmtune/verify/gpu/gpu_row_sums.h"
#include "gemmtune/verify/gpu/kernel_arguments.h"
#include "gemmtune/verify/layout_examiner.h"
#include "gemmtune/verify/negate.h"
#include "gemmtune/verify/reference.h"

namespace gemmtune {
namespace {

constexpr unsigned threads = 256;
constexpr std::int64_t columns_of_a_block = 4096;
constexpr std::int64_t small_c_bytes = 64 << 20;
constexpr std::int64_t hashed_bytes_of_a_block = std::int64_t{threads} * 8 * 16;

template <typename T>
std::vector<T> download(Device& device, const Buffer& buffer) {
  std::vector<T> values(buffer.size() / sizeof(T));
  device.download(buffer.data(), std::as_writable_bytes(std::span(values)));
  return values;
}

template <typename T>
T download_one(Device& device, const Buffer& buffer) {
  T value{};
  device.download(buffer.data(), std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

/// For each row of M, its place among the ascending rows that are checked, or -1.
std::vector<std::int32_t> places_of(const std::vector<std::int64_t>& rows, std::int64_t m) {
  std::vector<std::int32_t> places(static_cast<std::size_t>(m), -1);
  for (std::size_t i = 0; i < rows.size(); ++i) places[rows[i]] = static_cast<std::int32_t>(i);
  return places;
}

class GpuExpectation final : public Expectation {
 public:
  GpuExpectation(Device& device, std::shared_ptr<ExaminerKernels> kernels, const Problem& problem,
                 const VerifyPolicy& policy)
      : device_(&device),
        kernels_(std::move(kernels)),
        problem_(problem),
        policy_(policy),
        findings_(device.allocate(sizeof(Findings))) {}

  void compute(const Inputs& inputs, std::uint64_t seed) {
    auto rows = rows_to_check(problem_, gpu_policy(policy_, problem_), seed);
    const auto places = places_of(rows, problem_.m);
    places_ = device_->allocate(places.size() * sizeof(std::int32_t));
    device_->upload(std::as_bytes(std::span(places)), places_.data());
    reference_ = GpuReferenceMaker(*device_, *kernels_).make(problem_, inputs, std::move(rows));
    if (!samples() || problem_.epilogue.activation != Activation::none) return;
    sums_.emplace(*device_, *kernels_, problem_, policy_);
    sums_->compute(inputs, reference_.column_norms, seed);
  }

  Verdict judge(const std::byte* c, Poison poison) override {
    const auto findings = find(c, poison);
    const auto accuracy = accuracy_of(findings);
    const bool right =
        findings.unwritten == 0 && findings.out_of_bound == 0 && accuracy.err_ratio <= policy_.err_ratio_limit;
    Verdict verdict = right ? Verdict{accuracy, ""} : explain(c, poison, findings);
    if (sums_ && findings.unwritten == 0) add(verdict, sums_->judge(c));
    return verdict;
  }

  bool samples() const override { return std::ssize(reference_.rows) < problem_.m; }

 private:
  Findings find(const std::byte* c, Poison poison) {
    const JudgedOutput judged{.c = reinterpret_cast<const unsigned char*>(c),
                              .place = reinterpret_cast<const std::int32_t*>(places_.data()),
                              .values = reinterpret_cast<const double*>(reference_.values.data()),
                              .row_norms = reinterpret_cast<const double*>(reference_.row_norms.data()),
                              .column_norms = reinterpret_cast<const double*>(reference_.column_norms.data()),
                              .m = problem_.m,
                              .n = problem_.n,
                              .checked_rows = static_cast<std::int64_t>(reference_.rows.size()),
                              .poison = poison};
    auto* findings = reinterpret_cast<Findings*>(findings_.data());
    device_->fill(findings_.data(), findings_.size(), 0);
    const LaunchShape shape{
        .grid = {static_cast<unsigned>(problem_.batch * problem_.m), blocks_for(problem_.n, columns_of_a_block)},
        .block = {threads}};
    kernels_->launch(problem_.out, "judge", shape, judged, closeness_rules(problem_, policy_), findings);
    device_->stream().synchronize();
    return download_one<Findings>(*device_, findings_);
  }

  Accuracy accuracy_of(const Findings& findings) const {
    const auto checked = problem_.batch * static_cast<std::int64_t>(reference_.rows.size()) * problem_.n;
    return {
        .err_ratio = static_cast<double>(findings.not_close) / static_cast<double>(std::max<std::int64_t>(checked, 1)),
        .worst_error = findings.worst_error,
        .worst_share_of_bound = findings.worst_share,
        .unwritten = static_cast<std::int64_t>(findings.unwritten),
        .checked = checked};
  }

  /// The host's comparison produces the words. Of a large C it gets only the rows that it needs.
  Verdict explain(const std::byte* c, Poison poison, const Findings& findings) {
    if (!on_host_)
      on_host_ = Reference{.rows = reference_.rows,
                           .values = download<double>(*device_, reference_.values),
                           .row_norms = download<double>(*device_, reference_.row_norms),
                           .column_norms = download<double>(*device_, reference_.column_norms)};
    const bool all = findings.unwritten > 0 || operand_sizes(problem_).c <= small_c_bytes;
    auto verdict = all ? compare(problem_, *on_host_, all_of(c), policy_, poison)
                       : compare_checked_rows(problem_, *on_host_, checked_rows_of(c), policy_, poison);
    if (verdict.why_wrong.empty())
      fail(ErrorCode::internal, "{}: device and host judge differently", to_string(problem_));
    return verdict;
  }

  std::vector<std::byte> all_of(const std::byte* c) {
    std::vector<std::byte> found(static_cast<std::size_t>(operand_sizes(problem_).c));
    device_->download(c, found);
    return found;
  }

  std::vector<std::byte> checked_rows_of(const std::byte* c) {
    const auto row_bytes = static_cast<std::size_t>(operand_sizes(problem_).c / (problem_.batch * problem_.m));
    const auto& rows = on_host_->rows;
    std::vector<std::byte> found(static_cast<std::size_t>(problem_.batch) * rows.size() * row_bytes);
    auto to = std::span(found);
    for (std::int64_t batch = 0; batch < problem_.batch; ++batch)
      for (const std::int64_t row : rows) {
        device_->download(c + static_cast<std::size_t>(batch * problem_.m + row) * row_bytes, to.first(row_bytes));
        to = to.subspan(row_bytes);
      }
    return found;
  }

  Device* device_;
  std::shared_ptr<ExaminerKernels> kernels_;
  Problem problem_;
  VerifyPolicy policy_;
  Buffer places_{};
  Buffer findings_;
  GpuReference reference_{};
  std::optional<GpuRowSums> sums_{};    // where rows are sampled
  std::optional<Reference> on_host_{};  // once something was wrong
};

class GpuExaminer final : public Examiner {
 public:
  explicit GpuExaminer(Device& device)
      : device_(&device),
        kernels_(std::make_shared<ExaminerKernels>(device)),
        on_host_(make_host_examiner(device)),
        sum_(device.allocate(sizeof(std::uint64_t))),
        broken_(device.allocate(sizeof(unsigned))),
        intact_guard_(device.allocate(intact_guard().size())) {
    device.upload(intact_guard(), intact_guard_.data());
    static_cast<void>(fingerprint(intact_guard_));  // shows that kernels compile and run
  }

  void draw(const Problem& problem, Recipe recipe, std::uint64_t seed, const Inputs& to) override {
    if (!has_known_scales(problem)) return on_host_->draw(problem, recipe, seed, to);
    GpuDraw(*device_, *kernels_).draw(problem, recipe, seed, to);
  }

  std::unique_ptr<Expectation> expect(const Problem& problem, const Inputs& inputs, const VerifyPolicy& policy,
                                      std::uint64_t seed) override {
    if (!has_known_scales(problem)) return on_host_->expect(problem, inputs, policy, seed);
    auto expectation = std::make_unique<GpuExpectation>(*device_, kernels_, problem, policy);
    expectation->compute(inputs, seed);
    return expectation;
  }

  void negate(DType type, const Buffer& elements) override {
    if (elements.size() == 0) return;
    const auto bytes = static_cast<std::int64_t>(elements.size());
    kernels_->launch("negate_elements", {.grid = {blocks_for(bytes, hashed_bytes_of_a_block)}, .block = {threads}},
                     negation_of(type), reinterpret_cast<unsigned char*>(elements.data()), bytes);
    device_->stream().synchronize();
  }

  std::uint64_t fingerprint(const Buffer& buffer) override {
    if (buffer.size() == 0) return 0;
    const auto bytes = static_cast<std::int64_t>(buffer.size());
    device_->fill(sum_.data(), sum_.size(), 0);
    kernels_->launch("fingerprint", {.grid = {blocks_for(bytes, hashed_bytes_of_a_block)}, .block = {threads}},
                     reinterpret_cast<const unsigned char*>(buffer.data()), bytes,
                     reinterpret_cast<unsigned long long*>(sum_.data()));
    device_->stream().synchronize();
    return download_one<std::uint64_t>(*device_, sum_);
  }

  bool guards_intact(std::span<const GuardedBuffer* const> buffers) override {
    std::vector<const std::byte*> guards;
    for (const auto* buffer : buffers)
      for (const auto* guard : buffer->guards()) guards.push_back(guard);
    if (guards.empty()) return true;
    const auto bytes = std::as_bytes(std::span(guards));
    if (guard_list_.size() < bytes.size()) guard_list_ = device_->allocate(bytes.size());
    device_->upload(bytes, guard_list_.data());
    device_->fill(broken_.data(), broken_.size(), 0);
    kernels_->launch("count_broken_guards", {.grid = {static_cast<unsigned>(guards.size())}, .block = {threads}},
                     reinterpret_cast<const unsigned char* const*>(guard_list_.data()),
                     reinterpret_cast<const unsigned char*>(intact_guard_.data()),
                     static_cast<int>(intact_guard_.size()), reinterpret_cast<unsigned*>(broken_.data()));
    device_->stream().synchronize();
    return download_one<unsigned>(*device_, broken_) == 0;
  }

 private:
  Device* device_;
  std::shared_ptr<ExaminerKernels> kernels_;
  std::unique_ptr<Examiner> on_host_;  // for problems whose scales the kernels do not know
  Buffer sum_;
  Buffer broken_;
  Buffer intact_guard_;
  Buffer guard_list_{};
};

}  // namespace

std::unique_ptr<Examiner> make_gpu_examiner(Device& device) {
  return make_layout_examiner(device, std::make_unique<GpuExaminer>(device), make_gpu_relayout(device));
}

}  // namespace gemmtune
