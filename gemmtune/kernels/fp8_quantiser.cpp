#include "gemmtune/kernels/fp8_quantiser.h"

#include <fmt/format.h>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/codec_name.h"
#include "gemmtune/gemm/fp8_in_call.h"
#include "gemmtune/gemm/rounding.h"
#include "gemmtune/kernels/fp8_quantise_arguments.h"

namespace gemmtune {

// CMake writes this function.
KernelSource fp8_quantise_kernel();

namespace {

constexpr std::int64_t threads = 256;

bool is_by_rows(const Side& a) { return a.scaling == Scaling::fp8_row; }

/// Short kernels start early (pdl.cuh). Long ones would only occupy room that kernels still running need.
LaunchStart start_of(std::int64_t elements) {
  constexpr std::int64_t most = std::int64_t{1} << 22;
  return elements <= most ? LaunchStart::early : LaunchStart::after_previous;
}

KernelSource source_for(const Problem& problem) {
  if (const auto why = why_no_fp8_quantiser(problem); !why.empty()) fail(ErrorCode::unsupported, "{}", why);
  return fp8_quantise_source(problem.a);
}

}  // namespace

std::string why_no_fp8_quantiser(const Problem& problem) {
  const auto multiple = is_by_rows(problem.a) ? fp8_quantise_unit : fp8_in_call_length;
  if (problem.layout.a != Major::k || !stored_a(problem).is_contiguous()) return "quantises A without gaps only";
  return problem.k % multiple == 0 ? "" : fmt::format("K % {} != 0", multiple);
}

KernelSource fp8_quantise_source(const Side& a) {
  auto source = fp8_quantise_kernel();
  source.name = fmt::format("fp8_quantise_{}.cu", to_string(a.type));
  source.arch = "sm90a";
  source.options = {"--std=c++20", "--device-as-default-execution-space", fmt::format("-DFROM={}", codec_name(a.type))};
  return source;
}

Fp8Quantiser::Fp8Quantiser(const Problem& problem)
    : a_(problem.a),
      rows_(problem.batch * problem.m),
      k_(problem.k),
      module_(compile_kernel(source_for(problem))),
      quantise_(module_.function(is_by_rows(a_) ? "fp8_quantise_rows" : "fp8_quantise_groups")) {}

Fp8QuantisedLayout Fp8Quantiser::layout() const {
  const auto aligned = [](std::int64_t bytes) { return static_cast<std::size_t>(round_up(bytes, 256)); };
  Fp8QuantisedLayout at;
  at.scales = aligned(rows_ * k_);
  at.bytes = at.scales + aligned(scale_grid(side_in_call(a_).scaling, rows_, k_).bytes());
  return at;
}

void Fp8Quantiser::launch(const std::byte* a, std::byte* quantised, Stream& stream) const noexcept {
  const auto at = layout();
  const Fp8QuantiseArguments arguments{.from = reinterpret_cast<const unsigned char*>(a),
                                       .values = reinterpret_cast<unsigned char*>(quantised + at.values),
                                       .scales = reinterpret_cast<float*>(quantised + at.scales),
                                       .rows = rows_,
                                       .units_of_row = k_ / fp8_quantise_unit};
  const auto blocks = is_by_rows(a_) ? rows_ : ceil_div(rows_ * arguments.units_of_row, threads);
  module_.launch(stream, quantise_,
                 {.grid = {static_cast<unsigned>(blocks)},
                  .block = {static_cast<unsigned>(threads)},
                  .start = start_of(rows_ * k_)},
                 arguments);
}

}  // namespace gemmtune
