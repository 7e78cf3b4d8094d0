#include "gemmtune/verify/fingerprint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "gemmtune/device/device.h"

namespace gemmtune {
namespace {

std::vector<std::byte> random_bytes(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<std::byte> bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::byte>(engine());
  return bytes;
}

TEST(Fingerprint, AnyByteMatters) {
  for (const std::size_t size : {1, 31, 32, 33, 100, 1000}) {
    auto bytes = random_bytes(size, size);
    std::set<std::uint64_t> seen{fingerprint(bytes)};
    for (auto& byte : bytes) {
      byte = ~byte;
      seen.insert(fingerprint(bytes));
      byte = ~byte;
    }
    EXPECT_EQ(seen.size(), size + 1) << "size and seed " << size;
  }
}

TEST(Fingerprint, OrderMatters) {
  auto bytes = random_bytes(256, 1);
  const auto before = fingerprint(bytes);
  std::swap_ranges(bytes.begin(), bytes.begin() + 32, bytes.begin() + 32);
  EXPECT_NE(fingerprint(bytes), before);
}

TEST(Fingerprint, DeviceMemoryIsReadToItsEnd) {
  const auto device = open_device("cpu");
  const auto bytes = random_bytes((std::size_t{1} << 19) + 4321, 2);
  const auto buffer = device->allocate(bytes.size());
  device->upload(bytes, buffer.data());
  const auto whole = fingerprint(*device, buffer);
  EXPECT_EQ(fingerprint(*device, buffer), whole);
  buffer.data()[bytes.size() - 1] ^= std::byte{1};
  EXPECT_NE(fingerprint(*device, buffer), whole);
  EXPECT_EQ(fingerprint(*device, Buffer{}), fingerprint(std::span<const std::byte>{}));
}

TEST(Fingerprint, LargeMemoryIsReadAtBothEnds) {
  const auto device = open_device("cpu");
  const std::size_t size = (std::size_t{80} << 20) + 5;
  const auto buffer = device->allocate(size);
  std::fill_n(buffer.data(), size, std::byte{3});
  const auto before = fingerprint(*device, buffer);
  for (const std::size_t at : {std::size_t{0}, size - 1}) {
    buffer.data()[at] ^= std::byte{1};
    EXPECT_NE(fingerprint(*device, buffer), before) << "byte " << at;
    buffer.data()[at] ^= std::byte{1};
  }
  EXPECT_EQ(fingerprint(*device, buffer), before);
}

}  // namespace
}  // namespace gemmtune
