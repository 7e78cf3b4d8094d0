// These tests need a GPU and are skipped elsewhere.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "gemmtune/device/gpu/gpu_device.h"
#include "gemmtune/device/gpu/staging.h"
#include "gemmtune/device/gpu/vendor.h"
#include "tests/device/gpu/random_bytes.h"

namespace gemmtune {
namespace {

class StagingOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    const auto gpus = list_gpus();
    if (gpus.empty()) GTEST_SKIP() << "this machine has no GPU";
    device_ = make_gpu_device(gpus.front());
  }

  std::unique_ptr<Device> device_;
};

TEST_F(StagingOnGpu, BytesOfAllSizesGoThereAndBack) {
  constexpr StagingSizes staged;
  const auto block = staged.block_bytes;
  for (const auto size : {std::size_t{1}, std::size_t{4097}, block - 1, block, block + 1, 2 * block - 1, 2 * block,
                          2 * block + 1, 7 * block + 12'345}) {
    const auto sent = random_bytes(size);
    const auto there = device_->allocate(size + 1);
    device_->fill(there.data(), there.size(), 0xeeee);
    device_->upload(sent, there.data());
    std::vector<std::byte> back(size + 1);
    device_->download(there.data(), std::span(back).first(size));
    EXPECT_TRUE(std::equal(sent.begin(), sent.end(), back.begin())) << size << " bytes";
    device_->download(there.data() + size, std::span(back).last(1));
    EXPECT_EQ(back.back(), std::byte{0xee}) << size << " bytes";
  }
}

/// What the host writes after an upload has returned must not reach the device.
TEST_F(StagingOnGpu, TheHostsBytesMayGoWhenAnUploadReturns) {
  const auto sent = random_bytes(std::size_t{64} << 20);
  const auto there = device_->allocate(sent.size());
  auto lent = sent;
  device_->upload(lent, there.data());
  std::ranges::fill(lent, std::byte{});
  std::vector<std::byte> back(sent.size());
  device_->download(there.data(), back);
  EXPECT_TRUE(back == sent);
}

double best_gb_per_s(std::size_t bytes, const std::function<void()>& copy) {
  double best_s = 1e9;
  for (int i = 0; i < 6; ++i) {
    const auto start = std::chrono::steady_clock::now();
    copy();
    best_s = std::min(best_s, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return static_cast<double>(bytes) / best_s / 1e9;
}

/// Prints the speedup, which depends on the machine's link and cores. Only a loss is a failure.
TEST_F(StagingOnGpu, IsFasterThanTheDriversOwnWay) {
  const auto driver = gpu::find_driver(device_->info().kind);
  const auto stream = static_cast<gpu::StreamHandle>(device_->stream().native_handle());
  auto bytes = random_bytes(std::size_t{256} << 20);
  const auto there = device_->allocate(bytes.size());
  const auto compare = [&](const char* what, const std::function<void()>& staged, const std::function<void()>& plain) {
    const double before = best_gb_per_s(bytes.size(), plain);
    const double after = best_gb_per_s(bytes.size(), staged);
    fmt::print("{} of 256 MiB: {:.1f} GB/s, plain {:.1f} GB/s, {:.2f} times as fast\n", what, after, before,
               after / before);
    RecordProperty(fmt::format("{}_ratio", what), fmt::format("{:.2f}", after / before));
    EXPECT_GT(after, 0.8 * before) << what;
  };
  compare(
      "upload", [&] { device_->upload(bytes, there.data()); },
      [&] {
        driver->upload(bytes.data(), there.data(), bytes.size(), stream);
        driver->synchronize(stream);
      });
  compare(
      "download", [&] { device_->download(there.data(), bytes); },
      [&] {
        driver->download(there.data(), bytes.data(), bytes.size(), stream);
        driver->synchronize(stream);
      });
}

}  // namespace
}  // namespace gemmtune
