#include "gemmtune/verify/gpu/gpu_row_sums.h"

#include <algorithm>
#include <span>

#include "gemmtune/gemm/rounding.h"
#include "gemmtune/verify/gpu/float_rows.h"
#include "gemmtune/verify/gpu/gpu_reference.h"
#include "gemmtune/verify/verifier.h"

namespace gemmtune {
namespace {

constexpr unsigned threads = 256;  // a power of two, as block_total.cuh needs

LaunchShape blocks_of(std::int64_t count) { return {.grid = {static_cast<unsigned>(count)}, .block = {threads}}; }

std::vector<double> download(Device& device, const std::byte* from, std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  device.download(from, std::as_writable_bytes(std::span(values)));
  return values;
}

Buffer copy_of(Device& device, const Buffer& buffer) {
  std::vector<std::byte> bytes(buffer.size());
  device.download(buffer.data(), bytes);
  Buffer copy = device.allocate(bytes.size());
  device.upload(bytes, copy.data());
  return copy;
}

Buffer doubles(Device& device, std::int64_t count) {
  return device.allocate(static_cast<std::size_t>(count) * sizeof(double));
}

}  // namespace

GpuRowSums::GpuRowSums(Device& device, ExaminerKernels& kernels, const Problem& problem, const VerifyPolicy& policy)
    : device_(&device),
      kernels_(&kernels),
      problem_(problem),
      rules_{.closeness = closeness_rules(problem, policy)},
      blocks_(column_blocks(problem, gpu_policy(policy, problem))) {}

void GpuRowSums::compute(const Inputs& inputs, Buffer& column_norms, std::uint64_t seed) {
  column_norms_ = as<double>(column_norms);
  row_norms_ = doubles(*device_, problem_.batch * problem_.m);
  sums_ = doubles(*device_, count());
  addends_ = doubles(*device_, count());
  if (problem_.epilogue.bias) bias_ = copy_of(*device_, inputs.bias);
  choose_weights(seed);
  for (std::int64_t batch = 0; batch < problem_.batch; ++batch) {
    sum_columns(inputs, batch);
    multiply_rows(inputs, batch);
  }
  add_addends(inputs);
  device_->stream().synchronize();  // before the vectors go
  vectors_ = {};
  expected_ = download(*device_, sums_.data(), count());
  sums_ = device_->allocate(static_cast<std::size_t>(count()) * sizeof(BlockSum));
}

void GpuRowSums::choose_weights(std::uint64_t seed) {
  const auto columns = problem_.batch * problem_.n;
  auto weights = download(*device_, reinterpret_cast<const std::byte*>(column_norms_), columns);
  for (std::int64_t i = 0; i < columns; ++i)
    weights[i] = column_weight(sign_of(seed, i / problem_.n, i % problem_.n), weights[i]);
  weights_ = doubles(*device_, columns);
  device_->upload(std::as_bytes(std::span(weights)), weights_.data());
}

/// Wᵀ·r of each block. The norms are computed once more, to the same bits.
void GpuRowSums::sum_columns(const Inputs& inputs, std::int64_t batch) {
  const FloatRows w(*device_, problem_.w, problem_.n, problem_.k);
  const auto depth = w.depth();
  device_->stream().synchronize();  // the vectors of the batch before may still be read
  vectors_ = doubles(*device_, blocks_.count * depth);
  device_->fill(vectors_.data(), vectors_.size(), 0);
  const auto of_batch = batch * problem_.n;
  for (std::int64_t first = 0; first < problem_.n; first += w.at_once()) {
    const auto end = std::min(first + w.at_once(), problem_.n);
    w.decode(*kernels_, inputs.w, inputs.w_scale, batch, {nullptr, first, end - first}, column_norms_ + of_batch);
    for (std::int64_t n = first; n < end;) {
      const auto next = std::min((blocks_.of(n) + 1) * blocks_.columns, end);
      const WeightedColumns some{.columns = w.floats() + (n - first) * depth,
                                 .weights = as<const double>(weights_) + of_batch + n,
                                 .sum = as<double>(vectors_) + blocks_.of(n) * depth,
                                 .count = next - n,
                                 .depth = depth};
      kernels_->launch("add_weighted", blocks_of(ceil_div(depth, threads)), some);
      n = next;
    }
  }
  device_->stream().synchronize();  // before the floats go
}

void GpuRowSums::multiply_rows(const Inputs& inputs, std::int64_t batch) {
  const FloatRows a(*device_, problem_.a, problem_.m, problem_.k);
  const auto of_batch = batch * problem_.m;
  for (std::int64_t first = 0; first < problem_.m; first += a.at_once()) {
    const auto rows = std::min(a.at_once(), problem_.m - first);
    a.decode(*kernels_, inputs.a, inputs.a_scale, batch, {nullptr, first, rows}, as<double>(row_norms_) + of_batch);
    const VectorProducts products{.rows = a.floats(),
                                  .vectors = as<const double>(vectors_),
                                  .products = as<double>(sums_) + (of_batch + first) * blocks_.count,
                                  .vectors_count = blocks_.count,
                                  .depth = a.depth()};
    kernels_->launch("multiply_vectors", blocks_of(rows), products);
  }
  device_->stream().synchronize();  // before the floats go
}

void GpuRowSums::add_addends(const Inputs& inputs) {
  const auto* residual = problem_.epilogue.residual ? as<const unsigned char>(inputs.residual) : nullptr;
  kernels_->launch(problem_.out, "add_addends", blocks_of(count()), output(nullptr), residual, as<double>(sums_),
                   as<double>(addends_));
}

SummedOutput GpuRowSums::output(const std::byte* c) const {
  return {.c = reinterpret_cast<const unsigned char*>(c),
          .bias = problem_.epilogue.bias ? as<const unsigned char>(bias_) : nullptr,
          .addends = as<const double>(addends_),
          .weights = as<const double>(weights_),
          .row_norms = as<const double>(row_norms_),
          .column_norms = column_norms_,
          .m = problem_.m,
          .n = problem_.n,
          .blocks = blocks_.count,
          .columns = blocks_.columns};
}

SumVerdict GpuRowSums::judge(const std::byte* c) {
  kernels_->launch(problem_.out, "sum_blocks", blocks_of(count()), output(c), rules_, as<BlockSum>(sums_));
  device_->stream().synchronize();
  std::vector<BlockSum> found(static_cast<std::size_t>(count()));
  device_->download(sums_.data(), std::as_writable_bytes(std::span(found)));
  return judge_block_sums(problem_, blocks_, expected_, found);
}

}  // namespace gemmtune
