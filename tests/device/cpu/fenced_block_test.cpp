#include "gemmtune/device/cpu/fenced_block.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "gemmtune/device/device.h"

namespace gemmtune {
namespace {

TEST(FencedBlock, IsUsableAndAligned) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{4096}, std::size_t{3} << 20}) {
    const auto block = map_fenced(size);
    ASSERT_NE(block.data, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data) % (size > 4096 ? std::size_t{2} << 20 : 4096), 0U) << size;
    std::memset(block.data, 1, size);
    unmap(block);
  }
}

TEST(FencedBlockDeathTest, AccessBeforeOrBehindEndsTheProcess) {
  const auto block = map_fenced(4096);
  const auto fence = cpu_fence_bytes();
  ASSERT_GE(fence, 4096U);
  for (std::byte* place : {block.data - 1, block.data - fence, block.data + 4096, block.data + 4096 + fence - 1})
    EXPECT_DEATH(*place = std::byte{1}, "");
  unmap(block);
}

TEST(FencedBlockDeathTest, AddressesAreNotSpentWhereTheyAreLimited) {
  const auto fence_under_limit = [] {
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = rlim_t{1} << 45;
    setrlimit(RLIMIT_AS, &limit);
    std::_Exit(cpu_fence_bytes() == 0 ? 0 : 1);
  };
  EXPECT_EXIT(fence_under_limit(), testing::ExitedWithCode(0), "");
}

TEST(FencedBlockDeathTest, ADeviceFencesWhatItIsAskedTo) {
  const auto device = open_device("cpu");
  ASSERT_EQ(device->fence_bytes(), cpu_fence_bytes());
  const auto buffer = device->allocate_fenced(8192);
  ASSERT_EQ(buffer.size(), 8192U);
  std::memset(buffer.data(), 1, 8192);
  EXPECT_DEATH(buffer.data()[8192] = std::byte{1}, "");
  EXPECT_DEATH(*(buffer.data() - 1) = std::byte{1}, "");
  EXPECT_EQ(device->allocate_fenced(0).data(), nullptr);
}

}  // namespace
}  // namespace gemmtune
