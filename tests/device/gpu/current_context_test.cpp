#include "gemmtune/device/gpu/current_context.h"

#include <gtest/gtest.h>

#include <thread>

#include "gemmtune/device/gpu/gpu_device.h"
#include "gemmtune/device/gpu/vendor.h"

namespace gemmtune {
namespace {

constexpr gpu::ContextHandle none{};

/// These tests need a GPU and are skipped elsewhere.
class CurrentContextTest : public testing::Test {
 protected:
  void SetUp() override {
    gpus_ = list_gpus();
    if (gpus_.empty()) GTEST_SKIP() << "this machine has no GPU";
    driver_ = gpu::find_driver(gpus_.front().kind);
    device_ = make_gpu_device(gpus_.front());
  }

  gpu::ContextHandle current() const { return driver_->current_context(); }

  std::vector<DeviceInfo> gpus_;
  std::shared_ptr<const gpu::Driver> driver_;
  std::unique_ptr<Device> device_;
};

TEST_F(CurrentContextTest, GoesToThreadsThatHaveNone) {
  const CurrentContext lent(gpus_.front().kind);
  const auto here = current();
  ASSERT_NE(here, none);
  std::jthread([&] {
    EXPECT_EQ(current(), none);
    lent.lend();
    EXPECT_EQ(current(), here);
  }).join();
}

TEST_F(CurrentContextTest, OfAThreadWithoutOneIsNothing) {
  std::jthread([&] {
    const CurrentContext nothing(gpus_.front().kind);
    nothing.lend();
    EXPECT_EQ(current(), none);
  }).join();
}

TEST_F(CurrentContextTest, LeavesThreadsTheirOwn) {
  if (gpus_.size() < 2) GTEST_SKIP() << "needs two GPUs";
  const CurrentContext lent(gpus_.front().kind);
  const auto here = current();
  std::jthread([&] {
    const auto second = make_gpu_device(gpus_[1]);
    const auto own = current();
    EXPECT_NE(own, here);
    lent.lend();
    EXPECT_EQ(current(), own);
  }).join();
}

TEST(CurrentContext, CanBeAskedForWithoutADriver) {
  for (const auto kind : {DeviceKind::cuda, DeviceKind::hip}) {
    if (gpu::find_driver(kind)) continue;
    EXPECT_NO_THROW(CurrentContext(kind).lend());
  }
}

}  // namespace
}  // namespace gemmtune
