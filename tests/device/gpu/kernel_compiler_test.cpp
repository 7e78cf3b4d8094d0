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
    compiler_ = KernelCompiler::open(KernelCache(folder_), DeviceKind::cuda);
    if (!compiler_) GTEST_SKIP() << KernelCompiler::why_not(DeviceKind::cuda);
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

TEST_F(KernelCompilerTest, RemarksAreOfTheCompilerAndNotOfTheCache) {
  auto remarked = twice;
  remarked.text = "#warning planted\n" + twice.text;
  std::string remarks;
  static_cast<void>(compiler_->compile(remarked, &remarks));
  EXPECT_NE(remarks.find("planted"), std::string::npos) << remarks;
  static_cast<void>(compiler_->compile(remarked, &remarks));
  EXPECT_NE(remarks.find("planted"), std::string::npos) << "a test that is run again must fail again";
  static_cast<void>(compiler_->compile(remarked));
  static_cast<void>(compiler_->compile(remarked, &remarks));
  EXPECT_EQ(remarks, "") << "in the cache now";
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

TEST_F(KernelCompilerTest, IncludesAreFoundAmongTheHeadersByName) {
  auto source = twice;
  source.text = "#include <cstdint>\n#include \"gemmtune/factor.h\"\n" + source.text;
  source.options.clear();
  try {
    static_cast<void>(compiler_->compile(source));
    FAIL() << "there are no headers";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
  }
  source.headers = {{.name = "cstdint", .text = "#include \"gemmtune/names.h\"\n"},
                    {.name = "gemmtune/names.h", .text = "using number = int;\n"},
                    {.name = "gemmtune/factor.h", .text = "constexpr number FACTOR = 3;\n"}};
  EXPECT_FALSE(compiler_->compile(source).empty());
}

TEST(WithHeader, TakesTheTextOfOneThatIsIncluded) {
  auto source = twice;
  source.headers = {{.name = "a.h", .text = "a"}, {.name = "b.h", .text = "b"}};
  const auto changed = with_header(source, "b.h", "c");
  EXPECT_EQ(changed.headers[0], source.headers[0]);
  EXPECT_EQ(changed.headers[1].text, "c");
  EXPECT_THROW(static_cast<void>(with_header(source, "c.h", "")), Error);
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
  other.headers = {{.name = "a.h", .text = "int a;"}};
  const auto with_a_header = cache_key(other, "NVRTC 13.0");
  EXPECT_NE(with_a_header, key);
  for (auto KernelHeader::*part : {&KernelHeader::name, &KernelHeader::text}) {
    auto changed = other;
    changed.headers[0].*part += " ";
    EXPECT_NE(cache_key(changed, "NVRTC 13.0"), with_a_header);
  }
  other = twice;
  other.name = "renamed.cu";  // only for messages
  EXPECT_EQ(cache_key(other, "NVRTC 13.0"), key);
}

}  // namespace
}  // namespace gemmtune
