#include "gemmtune/families/onednn/arithmetic.h"

#include <gtest/gtest.h>

namespace gemmtune::onednn {
namespace {

const DeviceInfo plain_cpu{.arch = "x86-64-avx2", .features = {"avx2", "fma", "f16c"}};
const DeviceInfo vnni_cpu{.arch = "x86-64-avx512_vnni", .features = {"avx2", "avx512_vnni"}};
const DeviceInfo arm_cpu{.arch = "aarch64-dotprod", .features = {"asimddp"}};

std::vector<std::string> tags(const char* problem, const DeviceInfo& device) {
  std::vector<std::string> found;
  for (const Arithmetic& one : arithmetics_for(parse_problem(problem), device)) found.emplace_back(one.tag);
  return found;
}

using Tags = std::vector<std::string>;

TEST(Arithmetics, TheDirectOneComesFirst) {
  EXPECT_EQ(tags("4x4x4:f32:f32:f32", plain_cpu), (Tags{"f32"}));
  EXPECT_EQ(tags("4x4x4:bf16:bf16:bf16", plain_cpu), (Tags{"bf16", "deqf32"}));
  EXPECT_EQ(tags("4x4x4:fp16:fp16:fp16", plain_cpu), (Tags{"f16", "deqf32"}));
  EXPECT_EQ(tags("4x4x4:int8/row:int8/row:bf16", vnni_cpu), (Tags{"int8", "deqbf16", "deqf32"}));
}

TEST(Arithmetics, Int8NeedsVnniOnX86) {
  EXPECT_EQ(tags("4x4x4:int8/row:int8/row:bf16", plain_cpu), (Tags{"deqbf16", "deqf32"}));
  EXPECT_EQ(tags("4x4x4:int8/row:int8/row:bf16", arm_cpu).front(), "int8");
  EXPECT_FALSE(why_not_int8(plain_cpu).empty());
  EXPECT_TRUE(why_not_int8(vnni_cpu).empty());
}

TEST(Arithmetics, Bf16OnlyWhereItIsExact) {
  EXPECT_EQ(tags("4x4x64:e2m1/1x32:e2m1/1x32:bf16", plain_cpu), (Tags{"deqbf16", "deqf32"}));
  EXPECT_EQ(tags("4x4x64:e4m3/row:e4m3/row:bf16", plain_cpu), (Tags{"deqbf16", "deqf32"}));
  EXPECT_EQ(tags("4x4x64:e4m3/1x128:e4m3/128x128:bf16", plain_cpu), (Tags{"deqf32"}));
  EXPECT_EQ(tags("4x4x64:fp16:e2m1/1x32:bf16", plain_cpu), (Tags{"deqf32"}));
}

TEST(Arithmetics, FinishOnlyWhatTheLibraryLeaves) {
  const auto finishes = [](const char* text) {
    const Problem problem = parse_problem(text);
    return arithmetics_for(problem, vnni_cpu).front().finishes(problem);
  };
  EXPECT_FALSE(finishes("4x4x4:f32:f32:f32:bias"));
  EXPECT_TRUE(finishes("4x4x4:f32:f32:bf16"));
  EXPECT_FALSE(finishes("4x4x4:bf16:bf16:bf16"));
  EXPECT_FALSE(finishes("4x4x4:bf16:bf16:f32"));
  EXPECT_TRUE(finishes("4x4x4:bf16:bf16:fp16"));
  EXPECT_TRUE(finishes("4x4x4:int8/row:int8/row:f32"));
  EXPECT_FALSE(finishes("4x4x64:e2m1/1x32:e2m1/1x32:bf16"));
}

}  // namespace
}  // namespace gemmtune::onednn
