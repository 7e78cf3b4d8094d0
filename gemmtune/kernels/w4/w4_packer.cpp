#include "gemmtune/kernels/w4/w4_packer.h"

#include <fmt/format.h>

#include <numeric>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/rounding.h"
#include "gemmtune/kernels/read_back.h"
#include "gemmtune/kernels/w4/w4_arguments.h"
#include "gemmtune/kernels/w4/w4_bits.h"
#include "gemmtune/kernels/w4/w4_fp8_bits.h"

namespace gemmtune {

// CMake writes this function.
KernelSource w4_pack_kernel();

namespace {

constexpr unsigned pack_threads = 256;

std::int64_t brick_rows(const Problem& p) { return ceil_div(p.n, w4_brick_rows); }
std::int64_t chunks(const Problem& p) { return ceil_div(p.k, w4_brick_k); }

std::size_t bricks_bytes(const Problem& p) {
  const auto brick = w4_brick_bytes(static_cast<std::int32_t>(w4_scale_k(p)));
  return static_cast<std::size_t>(round_up(p.batch * brick_rows(p) * chunks(p) * brick, 256));
}
std::size_t bases_bytes(const Problem& p) {
  return static_cast<std::size_t>(p.batch * brick_rows(p) * w4_brick_rows) * sizeof(float);
}

std::string what_is_held(const Problem& problem) {
  if (!is_w4_fp8(problem)) return fmt::format("{} binades, and bf16 holds no more", mx_most_binades);
  return fmt::format("{} binades within 128 of K, or {} in all, and this kernel takes no more", fp8_most_binades,
                     fp8_most_factor_binades);
}

}  // namespace

bool is_w4_fp8(const Problem& problem) { return problem.a.type == DType::e4m3; }

std::int64_t w4_scale_k(const Problem& problem) { return is_nvfp4(problem.w) ? 16 : 32; }

KernelSource w4_pack_source(const Problem& problem) {
  auto source = w4_pack_kernel();
  source.arch = "sm90a";
  source.options = {"--std=c++20", "--device-as-default-execution-space",
                    fmt::format("-DW4_FP8={:d}", is_w4_fp8(problem)),
                    fmt::format("-DW4_SCALE_K={}", w4_scale_k(problem))};
  return source;
}

W4Packer::W4Packer(const Problem& problem)
    : problem_(problem), module_(compile_kernel(w4_pack_source(problem))), pack_(module_.function("pack_w4")) {}

std::size_t W4Packer::bases() const { return bricks_bytes(problem_); }

std::size_t W4Packer::bytes() const {
  const auto wide = static_cast<std::size_t>(problem_.batch * brick_rows(problem_)) * sizeof(std::uint32_t);
  return bases() + bases_bytes(problem_) + wide;
}

std::string W4Packer::layout_name() const {
  return fmt::format("e2m1 for {}, scales of {}", to_string(problem_.a.type), w4_scale_k(problem_));
}

void W4Packer::pack(const std::byte* w, const std::byte* w_scale, std::byte* packed, Stream& stream) const {
  const auto grid = scale_grid(problem_.w.scaling, problem_.n, problem_.k);
  const W4PackSizes sizes{.n = static_cast<std::int32_t>(problem_.n),
                          .k = static_cast<std::int32_t>(problem_.k),
                          .brick_rows = static_cast<std::int32_t>(brick_rows(problem_)),
                          .chunks = static_cast<std::int32_t>(chunks(problem_))};
  std::byte* const wide_at = packed + bases() + bases_bytes(problem_);
  const auto matrix_scale_at = grid.has_tensor_scale ? grid.tensor_scale_offset() : 0;
  module_.launch(stream, pack_,
                 {.grid = {static_cast<unsigned>(brick_rows(problem_)), static_cast<unsigned>(problem_.batch)},
                  .block = {pack_threads}},
                 w, w_scale, packed, packed + bases(), wide_at, static_cast<long long>(grid.bytes()),
                 static_cast<long long>(matrix_scale_at), sizes);
  const auto wide = read_back<std::uint32_t>(wide_at, problem_.batch * brick_rows(problem_), stream);
  const auto rows = std::accumulate(wide.begin(), wide.end(), std::int64_t{0});
  if (rows == 0) return;
  fail(ErrorCode::unsupported, "{} of {} rows of the weights spread over more than {}", rows,
       problem_.batch * problem_.n, what_is_held(problem_));
}

}  // namespace gemmtune
