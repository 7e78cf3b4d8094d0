#include "gemmtune/kernels/e8m0_floats.h"

#include "gemmtune/gemm/rounding.h"
#include "gemmtune/kernels/e8m0_floats_arguments.h"

namespace gemmtune {

// CMake writes this function.
KernelSource e8m0_floats_kernel();

namespace {

constexpr std::int64_t threads = 256;

std::int64_t count_of(Scaling scaling, std::int64_t rows, std::int64_t k) {
  return with_float_scales(scaling) == scaling ? 0 : scale_grid(scaling, rows, k).count();
}

E8m0Scales scales_at(const std::byte* bytes, std::byte* floats, std::int64_t count) {
  return {.bytes = reinterpret_cast<const unsigned char*>(bytes),
          .floats = reinterpret_cast<float*>(floats),
          .count = count};
}

}  // namespace

KernelSource e8m0_floats_source() {
  auto source = e8m0_floats_kernel();
  source.arch = "sm90a";
  source.options = {"--std=c++20", "--device-as-default-execution-space"};
  return source;
}

E8m0Floats::E8m0Floats(const Problem& problem)
    : a_count_(problem.batch * count_of(problem.a.scaling, problem.m, problem.k)),
      w_count_(problem.batch * count_of(problem.w.scaling, problem.n, problem.k)),
      module_(compile_kernel(e8m0_floats_source())),
      convert_(module_.function("e8m0_floats")) {}

FloatScalesLayout E8m0Floats::layout() const {
  const auto aligned = [](std::int64_t count) { return static_cast<std::size_t>(round_up(count * 4, 256)); };
  return {.w = aligned(a_count_), .bytes = aligned(a_count_) + aligned(w_count_)};
}

void E8m0Floats::launch(const std::byte* a_scale, const std::byte* w_scale, std::byte* floats,
                        Stream& stream) const noexcept {
  const auto at = layout();
  const E8m0FloatsArguments arguments{.a = scales_at(a_scale, floats + at.a, a_count_),
                                      .w = scales_at(w_scale, floats + at.w, w_count_)};
  module_.launch(stream, convert_,
                 {.grid = {static_cast<unsigned>(ceil_div(a_count_ + w_count_, threads))},
                  .block = {static_cast<unsigned>(threads)},
                  .start = LaunchStart::early},
                 arguments);
}

}  // namespace gemmtune
