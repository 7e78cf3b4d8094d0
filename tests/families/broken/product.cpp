#include "tests/families/broken/product.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "gemmtune/gemm/numeric.h"
#include "gemmtune/gemm/quantise.h"

namespace gemmtune::broken {
namespace {

std::int64_t scale_bytes(Side side, std::int64_t rows, std::int64_t k) {
  const auto grid = scale_grid(side.scaling, rows, k);
  return grid.bytes();
}

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

template <typename Stored>
void put(std::byte* to, Stored value) {
  std::memcpy(to, &value, sizeof value);
}

void store_as(DType type, double value, std::byte* to) {
  const auto rounded = static_cast<float>(value);
  if (type == DType::f32) return put(to, rounded);
  put(to, type == DType::f16 ? float_to_f16(rounded) : float_to_bf16(rounded));
}

float load_as(DType type, const std::byte* from) {
  float wide{};
  std::uint16_t narrow{};
  if (type == DType::f32) {
    std::memcpy(&wide, from, sizeof wide);
    return wide;
  }
  std::memcpy(&narrow, from, sizeof narrow);
  return type == DType::f16 ? f16_to_float(narrow) : bf16_to_float(narrow);
}

}  // namespace

Decoded::Decoded(Side side, std::int64_t batch, std::int64_t rows, std::int64_t k)
    : side_(side), batch_(batch), rows_(rows), k_(k), scales_(batch * scale_bytes(side, rows, k)) {}

const std::byte* Decoded::usable_scales(const std::byte* scales) {
  if (!ignore_nan_ || !has_e8m0_scales(side_.scaling)) return scales;
  std::transform(scales, scales + scales_.size(), scales_.begin(),
                 [](std::byte scale) { return scale == std::byte{255} ? std::byte{127} : scale; });
  return scales_.data();
}

void Decoded::decode(const std::byte* values, const std::byte* scales, std::span<float> out) {
  const auto usable = usable_scales(scales);
  const auto value_step = rows_ * storage_bytes(side_.type, k_);
  const auto scale_step = scale_bytes(side_, rows_, k_);
  for (std::int64_t b = 0; b < batch_; ++b)
    dequantise_rows(values + b * value_step, usable == nullptr ? nullptr : usable + b * scale_step, rows_, k_, side_, 0,
                    rows_, out.subspan(b * rows_ * k_, rows_ * k_));
}

Product::Product(const Problem& problem) : problem_(problem), values_(problem.batch * problem.m * problem.n) {}

double& Product::at(std::int64_t b, std::int64_t m, std::int64_t n) {
  return values_[(b * problem_.m + m) * problem_.n + n];
}

void Product::multiply(std::span<const float> a, std::span<const float> w, std::int64_t k_used) {
  const auto& p = problem_;
  for (std::int64_t b = 0; b < p.batch; ++b)
    for (std::int64_t m = 0; m < p.m; ++m)
      for (std::int64_t n = 0; n < p.n; ++n)
        at(b, m, n) = dot(a.subspan((b * p.m + m) * p.k, k_used), w.subspan((b * p.n + n) * p.k, k_used));
}

void Product::saturate(std::span<const float> a, std::span<const float> w, double share) {
  const auto& p = problem_;
  const auto norm = [&](std::span<const float> of, std::int64_t row) {
    return std::sqrt(dot(of.subspan(row * p.k, p.k), of.subspan(row * p.k, p.k)));
  };
  for (std::int64_t b = 0; b < p.batch; ++b)
    for (std::int64_t m = 0; m < p.m; ++m)
      for (std::int64_t n = 0; n < p.n; ++n) {
        const auto limit = share * norm(a, b * p.m + m) * norm(w, b * p.n + n);
        at(b, m, n) = std::clamp(at(b, m, n), -limit, limit);
      }
}

void Product::add_bias(const std::byte* bias) {
  const auto& p = problem_;
  for (std::size_t i = 0; i < values_.size(); ++i)
    values_[i] += static_cast<double>(load_as(p.out, bias + storage_bytes(p.out, static_cast<std::int64_t>(i) % p.n)));
}

void Product::store(std::byte* c, const std::function<bool(std::int64_t, std::int64_t)>& written) const {
  const auto& p = problem_;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i) / p.n;
    const auto column = static_cast<std::int64_t>(i) % p.n;
    if (written(row % p.m, column)) store_as(p.out, values_[i], c + storage_bytes(p.out, static_cast<std::int64_t>(i)));
  }
}

}  // namespace gemmtune::broken
