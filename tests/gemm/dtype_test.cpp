#include "gemmtune/gemm/dtype.h"

#include <gtest/gtest.h>

#include <string>

namespace gemmtune {
namespace {

constexpr DType all[] = {DType::f64,      DType::f32, DType::tf32, DType::f16,  DType::bf16, DType::e4m3,
                         DType::e4m3fnuz, DType::i8,  DType::i32,  DType::e2m1, DType::e8m0};

TEST(DType, EverySpellingParsesBack) {
  for (const auto type : all) {
    EXPECT_EQ(parse_dtype(to_string(type)), type) << to_string(type);
    EXPECT_EQ(parse_dtype(torch_name(type)), type) << torch_name(type);
    EXPECT_EQ(parse_dtype("dtypes." + std::string(to_string(type))), type);
  }
}

TEST(DType, TakesWhatPeopleWrite) {
  EXPECT_EQ(parse_dtype("torch.bfloat16"), DType::bf16);
  EXPECT_EQ(parse_dtype("torch.float8_e4m3fnuz"), DType::e4m3fnuz);
  EXPECT_EQ(parse_dtype("FP16"), DType::f16);
  EXPECT_EQ(parse_dtype("TF32"), DType::tf32);
  EXPECT_EQ(parse_dtype("i8"), DType::i8);
  EXPECT_EQ(parse_dtype("bf17"), std::nullopt);
  EXPECT_EQ(parse_dtype(""), std::nullopt);
}

TEST(DType, StorageRoundsUpToWholeBytes) {
  EXPECT_EQ(storage_bytes(DType::e2m1, 5), 3);
  EXPECT_EQ(storage_bytes(DType::bf16, 5), 10);
  EXPECT_EQ(storage_bytes(DType::e8m0, 5), 5);
  EXPECT_EQ(storage_bytes(DType::f64, 0), 0);
}

}  // namespace
}  // namespace gemmtune
