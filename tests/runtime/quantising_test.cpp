#include "gemmtune/runtime/quantising.h"

#include <gtest/gtest.h>

#include "gemmtune/core/error.h"
#include "tests/runtime/quantisations.h"

namespace gemmtune {
namespace {

class QuantisingOnCpu : public testing::Test {
 protected:
  ErrorCode refused(const Quantisation& wanted, const QuantisationMemory& memory) {
    try {
      quantising.run(wanted, memory, nullptr);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::internal;
  }

  Quantising quantising{ServingDevice::open("cpu")};
};

TEST_F(QuantisingOnCpu, GivesTheBitsOfTheHostsQuantiser) {
  for (const auto& wanted : quantisations()) {
    const auto given = drawn_matrix(wanted);
    auto got = room_for(wanted);
    quantising.run(wanted, {given.data(), got.values.data(), got.scales.data()}, nullptr);
    const auto expected = expected_of(wanted, given);
    EXPECT_EQ(got.values, expected.values) << text_of(wanted);
    EXPECT_EQ(got.scales, expected.scales) << text_of(wanted);
  }
}

TEST_F(QuantisingOnCpu, SaysHowManyBytesItWrites) {
  EXPECT_EQ(quantised_bytes({DType::bf16, {DType::e2m1, Scaling::mx_1x32}, 3, 64}), (QuantisedBytes{96, 6}));
  EXPECT_EQ(quantised_bytes({DType::bf16, {DType::e4m3, Scaling::block_128x128}, 200, 300}),
            (QuantisedBytes{60'000, 24}));
}

TEST_F(QuantisingOnCpu, RefusesWhatNobodyQuantises) {
  EXPECT_EQ(why_not_quantised({DType::i32, {DType::e4m3, Scaling::row}, 1, 1}),
            "int32 is not quantised: expected bf16, fp16 or f32");
  EXPECT_EQ(why_not_quantised({DType::bf16, {DType::bf16, Scaling::row}, 1, 1}), "nothing is quantised to bf16");
  EXPECT_EQ(why_not_quantised({DType::bf16, {DType::e2m1, Scaling::row}, 1, 2}), "e2m1 has 1x32 or 1x16 scales");
  EXPECT_NE(why_not_quantised({DType::bf16, {DType::e4m3, Scaling::tensor}, 1, 1}), "");
  EXPECT_NE(why_not_quantised({DType::bf16, {DType::e4m3, Scaling::row}, 0, 1}), "");
  EXPECT_EQ(why_not_quantised({DType::bf16, {DType::e2m1, Scaling::mx_1x32}, 1, 33}),
            "K = 33 is odd: two e2m1 share a byte");
  EXPECT_EQ(why_not_quantised({DType::bf16, {DType::e4m3, Scaling::row}, 2, 32, 16}),
            "a leading dimension of 16 is less than K = 32");
  alignas(8) std::array<std::byte, 64> bytes{};
  const Quantisation row{DType::bf16, {DType::e4m3, Scaling::row}, 1, 4};
  EXPECT_EQ(refused(row, {nullptr, bytes.data(), bytes.data()}), ErrorCode::usage);
  EXPECT_EQ(refused(row, {bytes.data() + 1, bytes.data() + 8, bytes.data() + 16}), ErrorCode::usage);
  EXPECT_EQ(refused(row, {bytes.data(), bytes.data() + 8, bytes.data() + 18}), ErrorCode::usage);
}

}  // namespace
}  // namespace gemmtune
