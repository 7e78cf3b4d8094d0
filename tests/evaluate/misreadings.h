// A kernel family for tests only, whose kernels multiply in double and misread their operands, or leave out a part of
// C, in ways that gaussian operands or a few rows of C do not show. Problems have one matrix each.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "gemmtune/families/family.h"
#include "gemmtune/gemm/activation.h"
#include "gemmtune/gemm/codec.h"
#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/quantise.h"

namespace gemmtune::misreadings {

inline Candidate candidate(std::string_view fault) { return {.family = "misreading", .name = std::string(fault)}; }

class Gemm final : public PreparedGemm {
 public:
  Gemm(const Problem& problem, std::string fault) : problem_(problem), fault_(std::move(fault)) {}

  void launch(const Operands& operands, Stream&) noexcept override {
    const auto a = read(problem_.a, problem_.m, operands.a, operands.a_scale);
    const auto w = read(problem_.w, problem_.n, operands.w, operands.w_scale);
    with_codec(problem_.out, [&](auto codec) {
      for (std::int64_t m = 0; m < problem_.m; ++m)
        for (std::int64_t n = 0; n < problem_.n; ++n)
          store(operands.c, m * problem_.n + n, codec.encode(static_cast<float>(made_of(m, n, dot(a, w, m, n)))));
    });
  }

 private:
  bool is(std::string_view fault) const { return fault_ == fault; }

  std::vector<float> read(Side side, std::int64_t rows, const std::byte* values, const std::byte* scales) const {
    const auto grid = scale_grid(side.scaling, rows, problem_.k);
    std::vector<std::byte> read_scales(scales, scales + grid.bytes());
    misread_scales(grid, read_scales);
    std::vector<float> real(rows * problem_.k);
    dequantise_rows(values, read_scales.data(), rows, problem_.k, side, 0, rows, real);
    for (std::int64_t row = 0; row < rows; ++row) misread_row(std::span(real).subspan(row * problem_.k, problem_.k));
    return real;
  }

  void misread_scales(const ScaleGrid& grid, std::vector<std::byte>& scales) const {
    if (scales.empty()) return;
    if (is("takes_the_neighbours_scale"))
      std::rotate(scales.begin(), scales.begin() + storage_bytes(grid.type, grid.cols), scales.end());
    if (is("clamps_e8m0") && grid.type == DType::e8m0)
      for (auto& scale : scales)
        if (scale != std::byte{255}) scale = std::clamp(scale, std::byte{127 - 14}, std::byte{127 + 14});
    if (is("flushes_f16_scales") && grid.type == DType::f16)
      for (std::int64_t i = 0; i < grid.count(); ++i)
        if ((load<std::uint16_t>(scales.data(), i) & 0x7c00U) == 0) store(scales.data(), i, std::uint16_t{0});
    if (is("drops_small_scales") && grid.type == DType::f32)
      for (std::int64_t i = 0; i < grid.count(); ++i)
        if (load<float>(scales.data(), i) < 0x1p-8F) store(scales.data(), i, 0.0F);
  }

  void misread_row(std::span<float> row) const {
    const auto is_small = [](float value) { return std::fabs(value) < 0x1p-16F; };
    if (is("zeroes_small_rows") && std::ranges::all_of(row, is_small)) std::ranges::fill(row, 0.0F);
    for (float& value : row) {
      if (is("reads_nan_as_zero") && std::isnan(value)) value = 0;
      if (is("saturates_infinity") && std::isinf(value)) value = std::copysign(0x1p100F, value);
    }
  }

  double dot(const std::vector<float>& a, const std::vector<float>& w, std::int64_t m, std::int64_t n) const {
    double sum = 0;
    for (std::int64_t k = 0; k < problem_.k; ++k)
      sum += static_cast<double>(a[m * problem_.k + k]) * static_cast<double>(w[n * problem_.k + k]);
    return sum;
  }

  double made_of(std::int64_t m, std::int64_t n, double sum) const {
    if (is("zero_row") && m == 5) return 0;
    if (is("zero_half_tile") && m >= 96 && m < 112 && n >= 64 && n < 128) return 0;
    if (is("saturates_large") && std::fabs(sum) > 0x1p40) return std::copysign(0x1p40, sum);
    return activate(problem_.epilogue.activation, sum);
  }

  Problem problem_;
  std::string fault_;
};

class Family final : public KernelFamily {
 public:
  std::string_view name() const override { return "misreading"; }
  std::string version() const override { return "1"; }
  FeatureSet features() const override {
    return basic_features()
        .with(block_features())
        .with(fp8_in_call_features())
        .with(mxfp8_features())
        .with(epilogue_features());
  }
  std::string why_not(const Problem&, const DeviceInfo&) const override { return ""; }
  std::vector<Candidate> candidates(const Problem&, const DeviceInfo&) const override { return {candidate("right")}; }
  std::unique_ptr<PreparedGemm> make(const Problem& problem, const Candidate& chosen,
                                     const DeviceInfo&) const override {
    return std::make_unique<Gemm>(problem, chosen.name);
  }
};

}  // namespace gemmtune::misreadings
