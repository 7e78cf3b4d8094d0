#include "gemmtune/kernels/mxfp8_folder.h"

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/rounding.h"
#include "gemmtune/kernels/mxfp8_fold_arguments.h"
#include "gemmtune/kernels/read_back.h"

namespace gemmtune {

// CMake writes this function.
KernelSource mxfp8_fold_kernel();

namespace {

constexpr unsigned threads = 256;
constexpr std::int64_t unit = 16;  // elements of a thread
constexpr std::int64_t brick_rows = 64;

/// Short kernels start early (pdl.cuh). Long ones would only occupy room that kernels still running need.
LaunchStart start_of(std::int64_t elements) {
  constexpr std::int64_t most = std::int64_t{1} << 22;
  return elements <= most ? LaunchStart::early : LaunchStart::after_previous;
}

void must_be_groups(std::int64_t k) {
  if (k % mxfp8_group != 0) fail(ErrorCode::unsupported, "MXFP8 is folded for K % 128 == 0 only, not K = {}", k);
}

Mxfp8FoldLayout layout_of(std::int64_t values, std::int64_t scales, std::int64_t changes) {
  const auto aligned = [](std::int64_t bytes) { return static_cast<std::size_t>(round_up(bytes, 256)); };
  Mxfp8FoldLayout at;
  at.scales = aligned(values);
  at.changes = at.scales + aligned(scales * static_cast<std::int64_t>(sizeof(float)));
  at.bytes = at.changes + aligned(changes * static_cast<std::int64_t>(sizeof(Mxfp8RowChange)));
  return at;
}

const unsigned char* bytes_at(const std::byte* address) { return reinterpret_cast<const unsigned char*>(address); }

}  // namespace

KernelSource mxfp8_fold_source() {
  auto source = mxfp8_fold_kernel();
  source.arch = "sm90a";
  source.options = {"--std=c++20", "--device-as-default-execution-space"};
  return source;
}

Mxfp8ActivationFolder::Mxfp8ActivationFolder(std::int64_t rows, std::int64_t k)
    : rows_(rows),
      k_((must_be_groups(k), k)),
      module_(compile_kernel(mxfp8_fold_source())),
      fold_(module_.function("fold_mxfp8_activations")) {}

Mxfp8FoldLayout Mxfp8ActivationFolder::layout() const { return layout_of(rows_ * k_, rows_ * (k_ / mxfp8_group), 0); }

void Mxfp8ActivationFolder::launch(const std::byte* values, const std::byte* e8m0, std::byte* folded,
                                   Stream& stream) const noexcept {
  const auto at = layout();
  const Mxfp8ActivationArguments arguments{.values = bytes_at(values),
                                           .e8m0 = bytes_at(e8m0),
                                           .folded = reinterpret_cast<unsigned char*>(folded + at.values),
                                           .scales = reinterpret_cast<float*>(folded + at.scales),
                                           .units = rows_ * k_ / unit};
  module_.launch(stream, fold_,
                 {.grid = {static_cast<unsigned>(ceil_div(arguments.units, threads))},
                  .block = {threads},
                  .start = start_of(rows_ * k_)},
                 arguments);
}

Mxfp8WeightFolder::Mxfp8WeightFolder(const Problem& problem, Mxfp8WeightLayout stored)
    : problem_((must_be_groups(problem.k), problem)),
      stored_(stored),
      module_(compile_kernel(mxfp8_fold_source())),
      fold_(module_.function("fold_mxfp8_weights")) {}

std::int64_t Mxfp8WeightFolder::stored_rows() const {
  return stored_ == Mxfp8WeightLayout::bricks ? round_up(problem_.n, brick_rows) : problem_.n;
}

Mxfp8FoldLayout Mxfp8WeightFolder::layout() const {
  const auto rows = problem_.batch * problem_.n;
  return layout_of(problem_.batch * stored_rows() * problem_.k, rows, rows);
}

std::string Mxfp8WeightFolder::layout_name() const {
  return stored_ == Mxfp8WeightLayout::bricks ? "mxfp8 folded to rows, bricks of 64x128" : "mxfp8 folded to rows";
}

Mxfp8FoldReport Mxfp8WeightFolder::fold(const std::byte* values, const std::byte* e8m0, std::byte* folded,
                                        Stream& stream) const {
  const auto at = layout();
  const auto rows = problem_.batch * problem_.n;
  const auto grid = scale_grid(problem_.w.scaling, problem_.n, problem_.k);
  const Mxfp8WeightArguments arguments{.values = bytes_at(values),
                                       .e8m0 = bytes_at(e8m0),
                                       .folded = reinterpret_cast<unsigned char*>(folded + at.values),
                                       .scales = reinterpret_cast<float*>(folded + at.scales),
                                       .changes = reinterpret_cast<Mxfp8RowChange*>(folded + at.changes),
                                       .k = problem_.k,
                                       .n = static_cast<std::int32_t>(problem_.n),
                                       .stored_rows = static_cast<std::int32_t>(stored_rows()),
                                       .rows_of_scale = static_cast<std::int32_t>(grid.row_block),
                                       .in_bricks = stored_ == Mxfp8WeightLayout::bricks ? 1 : 0};
  module_.launch(
      stream, fold_,
      {.grid = {static_cast<unsigned>(stored_rows()), static_cast<unsigned>(problem_.batch)}, .block = {threads}},
      arguments);
  const auto report = mxfp8_fold_report(read_back<Mxfp8RowChange>(folded + at.changes, rows, stream));
  if (const auto why = why_not_folded(report, rows); !why.empty()) fail(ErrorCode::unsupported, "{}", why);
  return report;
}

}  // namespace gemmtune
