#include "gemmtune/verify/negate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/codec.h"
#include "gemmtune/gemm/quantise.h"

namespace gemmtune {
namespace {

constexpr DType types[] = {DType::f32,  DType::tf32,     DType::f16, DType::bf16,
                           DType::e4m3, DType::e4m3fnuz, DType::i8,  DType::e2m1};

std::vector<std::byte> random_bytes(std::size_t count) {
  std::mt19937_64 random(count);
  std::vector<std::byte> bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

/// One row of elements that the type can hold; of all 256 bytes for types of a byte or less.
std::vector<float> decoded(DType type, std::span<const std::byte> stored) {
  const auto count = static_cast<std::int64_t>(stored.size()) * 8 / bits(type);
  std::vector<float> values(static_cast<std::size_t>(count));
  const auto scaling = type == DType::e2m1 ? Scaling::mx_1x32 : Scaling::none;
  const std::vector<std::byte> ones(static_cast<std::size_t>(count) / 32 + 1, std::byte{127});
  dequantise_rows(stored.data(), ones.data(), 1, count, {.type = type, .scaling = scaling}, 0, 1, values);
  return values;
}

TEST(Negate, ChangesTheSignOfEveryElement) {
  for (const auto type : types) {
    std::vector<std::byte> stored(256);
    for (std::size_t i = 0; i < stored.size(); ++i) stored[i] = static_cast<std::byte>(i);
    if (type == DType::i8) stored[0x80] = std::byte{0};  // -128, which is never drawn
    auto negated = stored;
    negate(type, negated);
    const auto before = decoded(type, stored);
    const auto after = decoded(type, negated);
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (std::isnan(before[i]))
        EXPECT_TRUE(std::isnan(after[i])) << to_string(type) << " element " << i;
      else
        EXPECT_EQ(after[i], -before[i]) << to_string(type) << " element " << i;
    }
  }
}

TEST(Negate, TwiceIsNothingWhateverTheBitsAre) {
  for (const auto type : types)
    for (const std::size_t size : {4, 8, 1000, 6, 2, 1, 3, 400'001}) {
      const auto stored = random_bytes(size);
      auto negated = stored;
      negate(type, negated);
      const bool holds_an_element = static_cast<int>(size) * 8 >= bits(type);
      EXPECT_EQ(negated != stored, holds_an_element) << to_string(type) << " " << size;
      negate(type, negated);
      EXPECT_EQ(negated, stored) << to_string(type) << " " << size;
    }
}

TEST(Negate, WhatHoldsNoElementsIsRefused) {
  std::vector<std::byte> scales(8);
  EXPECT_THROW(negate(DType::e8m0, scales), Error);
  EXPECT_FALSE(can_negate(DType::i4));  // -8 has no negative
  EXPECT_THROW(negate(DType::i4, scales), Error);
  EXPECT_TRUE(can_negate(DType::e2m1));
}

}  // namespace
}  // namespace gemmtune
