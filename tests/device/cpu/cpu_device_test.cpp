#include "gemmtune/device/cpu/cpu_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

TEST(CpuDevice, BuffersAreAlignedAndWritable) {
  const auto device = open_device("cpu");
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{255}, std::size_t{4097}, std::size_t{3} << 20U}) {
    const Buffer buffer = device->allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 256, 0U) << bytes;
    EXPECT_EQ(buffer.size(), bytes);
    buffer.data()[0] = std::byte{1};
    buffer.data()[bytes - 1] = std::byte{2};
  }
}

TEST(CpuDevice, NoBytesIsAnEmptyBuffer) { EXPECT_EQ(open_device("cpu")->allocate(0).data(), nullptr); }

TEST(CpuDevice, RefusesWhatDoesNotFit) {
  const auto device = open_device("cpu");
  const auto bytes = std::numeric_limits<std::size_t>::max() / 4;
  try {
    device->allocate(bytes);
    FAIL() << "granted " << bytes;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_NE(std::string(error.what()).find(std::to_string(bytes)), std::string::npos);
  }
}

TEST(CpuDevice, CopiesThereAndBack) {
  const auto device = open_device("cpu");
  const Buffer first = device->allocate(4);
  const Buffer second = device->allocate(4);
  const std::array<std::byte, 4> sent{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  std::array<std::byte, 4> received{};
  device->upload(sent, first.data());
  device->copy(first.data(), second.data(), 4);
  device->download(second.data(), received);
  EXPECT_EQ(received, sent);
}

TEST(CpuDevice, FillsWithAPatternOfTwoBytes) {
  const auto device = open_device("cpu");
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{6}, std::size_t{5'000'001}}) {
    std::vector<std::byte> filled(bytes + 1, std::byte{7});
    device->fill(filled.data(), bytes, 0xfff5);
    for (std::size_t i = 0; i < bytes; ++i)
      ASSERT_EQ(filled[i], i % 2 == 0 ? std::byte{0xf5} : std::byte{0xff}) << i << " of " << bytes;
    EXPECT_EQ(filled[bytes], std::byte{7}) << bytes;
  }
}

TEST(CpuDevice, CopiesToManyPlaces) {
  constexpr std::size_t bytes = (std::size_t{1} << 20) + 77;  // several pieces, on several threads
  const auto device = open_device("cpu");
  std::vector<std::byte> sent(bytes);
  for (std::size_t i = 0; i < bytes; ++i) sent[i] = static_cast<std::byte>(i * 31 + i / 255);
  std::vector<Buffer> buffers;
  std::vector<std::byte*> places;
  for (int i = 0; i < 7; ++i) {
    buffers.push_back(device->allocate(bytes));
    places.push_back(buffers.back().data());
  }
  device->copy_to_each(sent.data(), places, bytes);
  for (const auto* place : places) EXPECT_TRUE(std::equal(sent.begin(), sent.end(), place));
  device->copy_to_each(sent.data(), {}, bytes);
}

TEST(CpuDevice, LargeBuffersAreUsedAgain) {
  constexpr std::size_t bytes = std::size_t{5} << 20;
  const auto device = open_device("cpu");
  const auto* first = device->allocate(bytes).data();
  EXPECT_EQ(device->allocate(bytes).data(), first);
}

TEST(CpuDevice, BuffersMayOutliveIt) {
  auto device = open_device("cpu");
  const Buffer large = device->allocate(std::size_t{5} << 20);
  const Buffer small = device->allocate(100);
  device.reset();
  large.data()[0] = std::byte{1};
  small.data()[0] = std::byte{1};
}

TEST(CpuDevice, StreamThrowsTheFirstFailureOnce) {
  const auto device = open_device("cpu");
  Stream& stream = device->stream();
  EXPECT_NO_THROW(stream.synchronize());
  stream.report_failure("first");
  stream.report_failure("second");
  try {
    stream.synchronize();
    FAIL() << "the failure was swallowed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_STREQ(error.what(), "first");
  }
  EXPECT_NO_THROW(stream.synchronize());
}

}  // namespace
}  // namespace gemmtune
