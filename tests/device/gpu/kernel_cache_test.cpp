#include "gemmtune/device/gpu/kernel_cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "gemmtune/core/files.h"

namespace gemmtune {
namespace {

namespace fs = std::filesystem;

class KernelCacheTest : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_ = fs::temp_directory_path() / ("gemmtune_kernel_cache_" + std::to_string(::getpid()));
};

TEST_F(KernelCacheTest, KeepsListsAndClears) {
  const KernelCache cache(folder_);
  EXPECT_FALSE(cache.find("a"));
  EXPECT_TRUE(cache.list().empty());
  EXPECT_TRUE(cache.keep("a", std::string_view("code\0of a", 9)));
  EXPECT_TRUE(cache.keep("b", "b"));
  EXPECT_EQ(cache.find("a"), std::string("code\0of a", 9));
  EXPECT_EQ(cache.list().size(), 2U);
  EXPECT_EQ(cache.clear(), 2);
  EXPECT_FALSE(cache.find("a"));
}

TEST_F(KernelCacheTest, OverItsLimitItForgetsWhatWasLongestNotAskedFor) {
  const KernelCache cache(folder_, 25);
  const auto later = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  ASSERT_TRUE(cache.keep("asked", "0123456789"));
  later();
  ASSERT_TRUE(cache.keep("stale", "0123456789"));
  later();
  ASSERT_TRUE(cache.find("asked"));
  later();
  ASSERT_TRUE(cache.keep("new", "0123456789"));
  std::vector<std::string> keys;
  for (const auto& kernel : cache.list()) keys.push_back(kernel.key);
  EXPECT_EQ(keys, (std::vector<std::string>{"new", "asked"}));
}

TEST_F(KernelCacheTest, AnEmptyFileIsNoKernel) {
  const KernelCache cache(folder_);
  fs::create_directories(folder_);
  write_file_atomically(folder_ / "a.cubin", "");
  EXPECT_FALSE(cache.find("a"));
}

TEST_F(KernelCacheTest, AFolderThatCannotBeIsNoError) {
  write_file_atomically(folder_, "a file where the folder should be");
  EXPECT_FALSE(KernelCache(folder_ / "below").keep("a", "code"));
}

TEST_F(KernelCacheTest, ManyMayKeepTheSame) {
  std::vector<std::jthread> threads;
  const std::string code(100'000, 'x');
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      const KernelCache cache(folder_);
      for (int round = 0; round < 20; ++round) {
        cache.keep("shared", code);
        const auto found = cache.find("shared");
        EXPECT_TRUE(!found || *found == code);
      }
    });
  threads.clear();
  EXPECT_EQ(KernelCache(folder_).find("shared"), code);
}

}  // namespace
}  // namespace gemmtune
