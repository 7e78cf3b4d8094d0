// These tests need a GPU and are skipped elsewhere.
#include "gemmtune/device/gpu/gpu_device.h"

#include <gtest/gtest.h>

#include <numeric>

#include "gemmtune/core/error.h"
#include "gemmtune/device/gpu/gpu_module.h"
#include "gemmtune/device/gpu/kernel_compiler.h"

namespace gemmtune {
namespace {

/// Spins for about `us` microseconds of the device's own clock and counts its runs.
constexpr const char* spin = R"(
extern "C" __global__ void spin(unsigned long long ns, unsigned* runs) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (now - start < ns);
  if (threadIdx.x == 0) atomicAdd(runs, 1u);
}
extern "C" __global__ void write_far(unsigned* p) { p[1ull << 40] = 1; }
)";

class GpuDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto gpus = list_gpus();
    if (gpus.empty()) GTEST_SKIP() << "this machine has no GPU";
    device_ = make_gpu_device(gpus.front());
  }

  GpuModule compile() const {
    return GpuModule(compile_kernel({.name = "spin.cu", .text = spin, .arch = device_->info().arch}));
  }

  unsigned read_count(const Buffer& count) {
    unsigned value{};
    device_->download(count.data(), std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }

  std::unique_ptr<Device> device_;
};

TEST_F(GpuDeviceTest, SaysWhatItIs) {
  const auto& info = device_->info();
  EXPECT_TRUE(info.arch.starts_with("sm") || info.arch.starts_with("gfx")) << info.arch;
  EXPECT_GT(info.cu_num, 0);
  EXPECT_GT(info.memory_bytes, std::int64_t{1} << 30);
  EXPECT_GT(info.last_level_cache_bytes, 1 << 20);
  EXPECT_FALSE(info.name.empty());
  EXPECT_GT(device_->read_clock().clock_mhz, 0);
}

TEST_F(GpuDeviceTest, BytesGoThereAndBack) {
  std::vector<std::byte> bytes(1'000'003);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 31 % 251);
  const auto first = device_->allocate(bytes.size());
  const auto second = device_->allocate(bytes.size());
  device_->upload(bytes, first.data());
  device_->copy(first.data(), second.data(), bytes.size());
  std::vector<std::byte> back(bytes.size());
  device_->download(second.data(), back);
  EXPECT_EQ(back, bytes);
}

TEST_F(GpuDeviceTest, TooMuchMemoryIsRefusedInWords) {
  try {
    device_->allocate(std::size_t{1} << 44);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io) << error.what();
  }
}

TEST_F(GpuDeviceTest, TimesAreTheDevices) {
  const auto module = compile();
  const auto spin_for = module.function("spin");
  const unsigned zero = 0;
  const auto runs = device_->allocate(sizeof zero);
  device_->upload(std::as_bytes(std::span(&zero, 1)), runs.data());
  for (const double us : {10.0, 50.0, 300.0}) {
    const auto ns = static_cast<unsigned long long>(us * 1000);
    const Timer::Launch launch{[&](std::int64_t) { module.launch(device_->stream(), spin_for, {}, ns, runs.data()); }};
    device_->timer().time_us(launch, 0, 3);
    const auto times = device_->timer().time_us(launch, 0, 10);
    ASSERT_EQ(times.size(), 10U);
    // The device's clock ticks in steps of up to a microsecond, and a launch adds a few microseconds.
    for (const double time : times) {
      EXPECT_GT(time, us * 0.95);
      EXPECT_LT(time, us * 1.05 + 8);
    }
  }
  device_->stream().synchronize();
  EXPECT_GT(read_count(runs), 6U);
}

/// Launches that rotate through sets of operands are timed in graphs of whole rounds, so that each set is used equally
/// often.
TEST_F(GpuDeviceTest, OperandsComeRoundEquallyOften) {
  const auto module = compile();
  const auto spin_for = module.function("spin");
  constexpr std::size_t period = 7;
  std::vector<Buffer> runs;
  for (std::size_t i = 0; i < period; ++i) {
    runs.push_back(device_->allocate(sizeof(unsigned)));
    device_->fill(runs.back().data(), sizeof(unsigned), 0);
  }
  const Timer::Launch launch{[&](std::int64_t i) {
                               auto* counter = runs[static_cast<std::size_t>(i) % period].data();
                               module.launch(device_->stream(), spin_for, {}, 20'000ULL, counter);
                             },
                             period};
  const auto times = device_->timer().time_us(launch, 0, 12);
  device_->stream().synchronize();
  ASSERT_EQ(times.size(), 12U);
  for (const double time : times) {
    EXPECT_GT(time, 19);
    EXPECT_LT(time, 29);
  }
  EXPECT_GT(read_count(runs.back()), 12U);
  for (std::size_t i = 1; i < period; ++i) EXPECT_EQ(read_count(runs[i]), read_count(runs.back())) << i;
}

TEST_F(GpuDeviceTest, FillsWithAPatternOfTwoBytes) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{6}, std::size_t{5'000'001}}) {
    const auto buffer = device_->allocate(bytes + 1);
    std::vector<std::byte> filled(bytes + 1, std::byte{7});
    device_->upload(filled, buffer.data());
    device_->fill(buffer.data(), bytes, 0xfff5);
    device_->download(buffer.data(), filled);
    for (std::size_t i = 0; i < bytes; ++i)
      ASSERT_EQ(filled[i], i % 2 == 0 ? std::byte{0xf5} : std::byte{0xff}) << i << " of " << bytes;
    EXPECT_EQ(filled[bytes], std::byte{7}) << bytes;
  }
}

/// This must be the last test: the process has no device afterwards.
TEST_F(GpuDeviceTest, AFaultIsAnErrorAtTheNextWaitAndLosesTheDevice) {
  const auto module = compile();
  const auto buffer = device_->allocate(4);
  EXPECT_FALSE(device_->lost());
  module.launch(device_->stream(), module.function("write_far"), {}, buffer.data());
  try {
    device_->stream().synchronize();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("illegal"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(device_->lost());
  EXPECT_THROW(device_->allocate(4), Error);
}

}  // namespace
}  // namespace gemmtune
