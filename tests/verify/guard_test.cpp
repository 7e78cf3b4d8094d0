#include "gemmtune/verify/guard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "gemmtune/verify/examiner.h"
#include "tests/support/forwarding_device.h"

namespace gemmtune {
namespace {

class GuardTest : public testing::Test {
 protected:
  std::unique_ptr<Device> device_{open_device("cpu")};
};

TEST_F(GuardTest, WritesInsideLeaveTheGuardsIntact) {
  for (const std::size_t size : {1, 2, 255, 256, 4097}) {
    const GuardedBuffer buffer(*device_, size);
    EXPECT_EQ(buffer.size(), size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 256, 0);
    std::fill_n(buffer.data(), size, std::byte{0xee});
    EXPECT_EQ(buffer.why_broken(*device_), "");
  }
}

TEST_F(GuardTest, AWriteBehindTheEndIsDescribed) {
  const GuardedBuffer buffer(*device_, 1000);
  std::fill_n(buffer.data() + 1000 + 11, 2, std::byte{0});
  EXPECT_EQ(buffer.why_broken(*device_), "byte 12 after the end was overwritten, 2 of its guard's 7192 bytes in all")
      << "a fenced guard ends with a page";
}

TEST_F(GuardTest, AWriteBeforeTheStartIsDescribed) {
  const GuardedBuffer buffer(*device_, 1000);
  std::fill_n(buffer.data() - 8, 3, std::byte{0});
  EXPECT_EQ(buffer.why_broken(*device_), "byte 6 before the start was overwritten, 3 of its guard's 4096 bytes in all");
}

TEST_F(GuardTest, EveryByteOfBothGuardsIsWatched) {
  const GuardedBuffer buffer(*device_, 64);
  for (const std::ptrdiff_t place : {-4096, -4000, -1, 64, 65, 2000, 64 + 4095}) {
    const std::byte kept = buffer.data()[place];
    buffer.data()[place] = ~kept;
    EXPECT_NE(buffer.why_broken(*device_), "") << place;
    buffer.data()[place] = kept;
    EXPECT_EQ(buffer.why_broken(*device_), "") << place;
  }
}

/// A write that misses all of the guard ends the process, and none falls in between.
TEST_F(GuardTest, AFenceBeginsWhereTheGuardEnds) {
  ASSERT_GT(device_->fence_bytes(), 0U);
  for (const std::size_t size : {std::size_t{1}, std::size_t{4096}, std::size_t{5000}, std::size_t{3'000'001}}) {
    const GuardedBuffer buffer(*device_, size);
    auto* const begin = buffer.storage().data();
    auto* const end = begin + buffer.storage().size();
    EXPECT_LE(end - buffer.data() - static_cast<std::ptrdiff_t>(size), 2 * 4096);
    for (std::byte* place : {begin, end - 1}) {
      *place ^= std::byte{1};
      EXPECT_NE(buffer.why_broken(*device_), "") << size;
      *place ^= std::byte{1};
    }
    for (std::byte* place : {begin - 1, end, begin - device_->fence_bytes(), end + device_->fence_bytes() - 1})
      EXPECT_DEATH(*place = std::byte{1}, "") << size;
  }
}

TEST(GuardWithoutFences, IsAsLargeAsWhatIsWatched) {
  ForwardingDevice device(open_device("cpu"));
  GuardedBuffer buffer(device, 1000, 100'000);
  EXPECT_EQ(buffer.why_broken(device), "");
  EXPECT_EQ(buffer.guards().size(), 2U * 25U);
  for (const std::ptrdiff_t place : {-100'000, -4097, 1000 + 4096, 1000 + 99'999}) {
    buffer.data()[place] ^= std::byte{1};
    EXPECT_NE(buffer.why_broken(device), "") << place;
    EXPECT_FALSE(make_host_examiner(device)->guards_intact(std::array<const GuardedBuffer*, 1>{&buffer})) << place;
    buffer.restore(device);
    EXPECT_EQ(buffer.why_broken(device), "") << place;
  }
  buffer.data()[1000 + 50'000] ^= std::byte{1};
  EXPECT_EQ(buffer.why_broken(device),
            "byte 50001 after the end was overwritten, 1 of its guard's 102400 bytes in all");
}

TEST(GuardWithoutFences, TakesNoMoreThanItMay) {
  ForwardingDevice device(open_device("cpu"));
  EXPECT_EQ(GuardedBuffer(device, 10, std::size_t{1} << 40).storage().size(), (std::size_t{32} << 20) + 10);
  EXPECT_EQ(GuardedBuffer(device, 10).storage().size(), GuardedBuffer::storage_bytes(10));
}

TEST_F(GuardTest, MayLieInMemoryThatIsThere) {
  const Buffer whole = device_->allocate(3 * GuardedBuffer::storage_bytes(300));
  const auto slice = [&](std::size_t i) {
    const auto bytes = GuardedBuffer::storage_bytes(300);
    return Buffer(whole.data() + i * bytes, bytes, [](std::byte*) {});
  };
  const std::array<GuardedBuffer, 3> parts{GuardedBuffer(*device_, slice(0)), GuardedBuffer(*device_, slice(1)),
                                           GuardedBuffer(*device_, slice(2))};
  for (const auto& part : parts) {
    EXPECT_EQ(part.size(), 300u);
    std::fill_n(part.data(), 300, std::byte{0xee});
  }
  for (const auto& part : parts) EXPECT_EQ(part.why_broken(*device_), "");
  parts[1].data()[300] = std::byte{0};
  EXPECT_EQ(parts[0].why_broken(*device_), "");
  EXPECT_NE(parts[1].why_broken(*device_), "");
  EXPECT_EQ(parts[2].why_broken(*device_), "");
}

TEST_F(GuardTest, NothingIsAllocatedForNothing) {
  const GuardedBuffer buffer(*device_, 0);
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_EQ(buffer.why_broken(*device_), "");
  EXPECT_EQ(GuardedBuffer().data(), nullptr);
}

}  // namespace
}  // namespace gemmtune
