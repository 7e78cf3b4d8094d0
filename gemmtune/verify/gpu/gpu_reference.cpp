#include "gemmtune/verify/gpu/gpu_reference.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "gemmtune/gemm/rounding.h"
#include "gemmtune/verify/gpu/float_rows.h"
#include "gemmtune/verify/reference.h"

namespace gemmtune {
namespace {

constexpr std::int64_t host_budgets = 250;
constexpr std::int64_t budgets_of_activations = 4;
constexpr std::int64_t most_values = std::int64_t{1} << 27;
constexpr std::int64_t tile = 64;  // as in multiply.cuh
constexpr unsigned multiply_threads = 128;
constexpr unsigned residual_threads = 256;

unsigned tiles_of(std::int64_t count) { return static_cast<unsigned>(ceil_div(count, tile)); }

/// Computes one problem panel by panel: floats of A, floats of the weights, their product.
class PanelGemm {
 public:
  PanelGemm(Device& device, ExaminerKernels& kernels, const Problem& problem, const GpuReference& to)
      : device_(device),
        kernels_(kernels),
        problem_(problem),
        to_(to),
        rows_(static_cast<std::int64_t>(to.rows.size())),
        a_(device, problem.a, problem.m, problem.k),
        w_(device, problem.w, problem.n, problem.k),
        row_list_(device.allocate(to.rows.size() * sizeof(std::int64_t))) {
    device.upload(std::as_bytes(std::span(to.rows)), row_list_.data());
  }

  void run(const Inputs& inputs) {
    if (problem_.epilogue.bias) decode_bias(inputs.bias);
    for (std::int64_t batch = 0; batch < problem_.batch; ++batch)
      for (std::int64_t row = 0; row < rows_; row += a_.at_once()) {
        const RowChoice rows{as<std::int64_t>(row_list_), row, std::min(a_.at_once(), rows_ - row)};
        a_.decode(kernels_, inputs.a, inputs.a_scale, batch, rows, as<double>(to_.row_norms) + batch * rows_);
        for (std::int64_t column = 0; column < problem_.n; column += w_.at_once())
          multiply(inputs, batch, rows, {nullptr, column, std::min(w_.at_once(), problem_.n - column)});
      }
    if (problem_.epilogue.residual) add_residual(inputs.residual);
    device_.stream().synchronize();  // before the floats go
  }

 private:
  void decode_bias(const Buffer& stored) {
    bias_.emplace(device_, Side{.type = problem_.out, .scaling = Scaling::none}, 1, problem_.n);
    bias_norm_ = device_.allocate(sizeof(double));
    bias_->decode(kernels_, stored, {}, 0, {nullptr, 0, 1}, as<double>(bias_norm_));
  }

  void add_residual(const Buffer& residual) {
    const JudgedOutput stored{
        .c = as<unsigned char>(residual), .m = problem_.m, .n = problem_.n, .checked_rows = rows_};
    kernels_.launch(problem_.out, "add_residual",
                    {.grid = {static_cast<unsigned>(problem_.batch * rows_)}, .block = {residual_threads}}, stored,
                    static_cast<const std::int64_t*>(as<std::int64_t>(row_list_)), as<double>(to_.values));
  }

  void multiply(const Inputs& inputs, std::int64_t batch, const RowChoice& rows, const RowChoice& columns) {
    w_.decode(kernels_, inputs.w, inputs.w_scale, batch, columns, as<double>(to_.column_norms) + batch * problem_.n);
    const PanelProduct product{
        .a = a_.floats(),
        .w = w_.floats(),
        .bias = bias_ ? bias_->floats() + columns.first : nullptr,
        .values = as<double>(to_.values) + (batch * rows_ + rows.first) * problem_.n + columns.first,
        .rows = rows.count,
        .columns = columns.count,
        .depth = a_.depth(),
        .values_stride = problem_.n};
    kernels_.launch("multiply", {.grid = {tiles_of(columns.count), tiles_of(rows.count)}, .block = {multiply_threads}},
                    product);
  }

  Device& device_;
  ExaminerKernels& kernels_;
  const Problem& problem_;
  const GpuReference& to_;
  std::int64_t rows_;
  FloatRows a_;
  FloatRows w_;
  Buffer row_list_;
  std::optional<FloatRows> bias_{};
  Buffer bias_norm_{};
};

}  // namespace

VerifyPolicy gpu_policy(const VerifyPolicy& policy, const Problem& problem) {
  const auto most_flops = 2 * problem.k * most_values;
  auto affordable = policy;
  // Sums over the rows that are not compared say nothing where there is an activation.
  const bool is_linear = problem.epilogue.activation == Activation::none;
  const auto budgets = is_linear ? host_budgets : host_budgets * budgets_of_activations;
  auto& flops = affordable.full_reference_flops;
  flops = flops < most_flops / budgets ? flops * budgets : most_flops;
  return affordable;
}

GpuReference GpuReferenceMaker::make(const Problem& problem, const Inputs& inputs,
                                     std::vector<std::int64_t> rows) const {
  const auto count = problem.batch * rows.size();
  GpuReference reference{.rows = std::move(rows),
                         .values = device_->allocate(count * problem.n * sizeof(double)),
                         .row_norms = device_->allocate(count * sizeof(double)),
                         .column_norms = device_->allocate(problem.batch * problem.n * sizeof(double))};
  PanelGemm(*device_, *kernels_, problem, reference).run(inputs);
  return reference;
}

}  // namespace gemmtune
