#include "gemmtune/device/gpu/kernel_compiler.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

namespace fs = std::filesystem;

class KernelCompilerTest : public testing::Test {
 protected:
  void SetUp() override {
    compiler_ = KernelCompiler::open(KernelCache(folder_));
    if (!compiler_) GTEST_SKIP() << KernelCompiler::why_not();
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_ = fs::temp_directory_path() / ("gemmtune_kernel_compiler_" + std::to_string(::getpid()));
  std::unique_ptr<KernelCompiler> compiler_;
};

const KernelSource twice{.name = "twice.cu",
                         .text = "extern \"C\" __global__ void twice(float* x) { x[threadIdx.x] *= 2 * FACTOR; }",
                         .arch = "sm90a",
                         .options = {"-DFACTOR=1"}};

TEST_F(KernelCompilerTest, CompilesForAChipThatIsNotHereAndRemembersIt) {
  const auto code = compiler_->compile(twice);
  EXPECT_TRUE(
      code.starts_with("\x7f"
                       "ELF"));
  EXPECT_EQ(KernelCache(folder_).find(cache_key(twice, compiler_->version())), code);
  EXPECT_EQ(compiler_->compile(twice), code);
}

TEST_F(KernelCompilerTest, TheCacheIsAskedBeforeTheCompiler) {
  KernelCache(folder_).keep(cache_key(twice, compiler_->version()), "planted");
  EXPECT_EQ(compiler_->compile(twice), "planted");
}

TEST_F(KernelCompilerTest, WhatDoesNotCompileSaysWhy) {
  auto broken = twice;
  broken.text = "extern \"C\" __global__ void twice(float* x) { x[0] = undeclared; }";
  try {
    static_cast<void>(compiler_->compile(broken));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string(error.what()).find("undeclared"), std::string::npos) << error.what();
  }
}

TEST(CacheKey, ChangesWithEverythingThatGoesIn) {
  const auto key = cache_key(twice, "NVRTC 13.0");
  EXPECT_EQ(key.size(), 32U);
  EXPECT_NE(cache_key(twice, "NVRTC 13.1"), key);
  for (auto KernelSource::*part : {&KernelSource::text, &KernelSource::arch}) {
    auto other = twice;
    other.*part += " ";
    EXPECT_NE(cache_key(other, "NVRTC 13.0"), key);
  }
  auto other = twice;
  other.options.push_back("-G");
  EXPECT_NE(cache_key(other, "NVRTC 13.0"), key);
  other = twice;
  other.name = "renamed.cu";  // only for messages
  EXPECT_EQ(cache_key(other, "NVRTC 13.0"), key);
}

}  // namespace
}  // namespace gemmtune
