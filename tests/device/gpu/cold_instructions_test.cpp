// Timing with cold instructions: on a machine with a GPU; skipped elsewhere.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "gemmtune/device/gpu/gpu_device.h"
#include "gemmtune/device/gpu/gpu_module.h"
#include "gemmtune/device/gpu/kernel_compiler.h"

namespace gemmtune {
namespace {

constexpr int steps = 256;  // between so many pieces of code of 128 bytes and more: 32 KiB, which the caches hold

/// A kernel that takes `steps` steps from one of these pieces to another far away, and notes for each multiprocessor
/// how many cycles that took. One piece after the other would not do: what follows is fetched ahead, and arrives in the
/// four cycles that an instruction takes which needs the last one's result.
std::string kernel_text(const std::string& name, int pieces) {
  auto text = fmt::format("extern \"C\" __global__ void {}(unsigned* cycles) {{\n", name) + R"(
  unsigned unit, start, end, a = threadIdx.x, b = blockIdx.x, piece = 0;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(unit));
  __syncthreads();
  asm volatile("mov.u32 %0, %%clock;" : "=r"(start) :: "memory");
#pragma unroll 1
)" + fmt::format("  for (int i = 0; i < {}; ++i) {{\n  switch (piece) {{\n", steps);
  for (int i = 0; i < 8 * pieces; ++i) {
    if (i % 8 == 0) text += fmt::format("case {}:\n", i / 8);
    text += fmt::format("asm volatile(\"mad.lo.u32 %0, %0, {}, %1;\" : \"+r\"({}) : \"r\"({}));\n", 2 * i + 1'000'001,
                        i % 2 == 0 ? 'a' : 'b', i % 2 == 0 ? 'b' : 'a');
    if (i % 8 == 7) text += "break;\n";
  }
  return text + fmt::format("}}\npiece = (piece * 5 + 3) % {};\n}}", pieces) + R"(
  __syncthreads();
  asm volatile("mov.u32 %0, %%clock;" : "=r"(end) :: "memory");
  if (threadIdx.x == 0) atomicMax(cycles + unit, end - start);
  if (a == 1 && b == 2) cycles[unit] = 0;
})";
}

/// The second does the same work in two pieces.
std::string kernels() { return kernel_text("long_code", steps) + kernel_text("short_code", 2); }

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + std::ssize(values) / 2, values.end());
  return values[values.size() / 2];
}

class ColdInstructions : public testing::Test {
 protected:
  static constexpr std::size_t most_units = 1024;

  void SetUp() override {
    const auto gpus = list_gpus();
    if (gpus.empty()) GTEST_SKIP() << "this machine has no GPU";
    if (const auto why = why_not_cold_instructions(gpus.front().kind); !why.empty()) GTEST_SKIP() << why;
    device_ = make_gpu_device(gpus.front());
    module_.emplace(compile_kernel({.name = "cold.cu", .text = kernels(), .arch = device_->info().arch}));
    cycles_ = device_->allocate(most_units * sizeof(unsigned));
  }

  Timer::Launch launches(const char* name, bool cold) {
    const auto kernel = module_->function(name);
    const LaunchShape shape{.grid = {static_cast<unsigned>(device_->info().cu_num)}, .block = {32}};
    return {.run = [this, kernel,
                    shape](std::int64_t) { module_->launch(device_->stream(), kernel, shape, cycles_.data()); },
            .cold_instructions = cold};
  }

  struct Measured {
    double time_us{};
    std::vector<unsigned> cycles{};  // the fewest of each multiprocessor; 0 where there is none of that number
  };

  /// Launched singly, warm and cold alike.
  Measured measure(const char* name, bool cold) {
    const auto launch = launches(name, cold);
    for (int i = 0; i < 3; ++i) device_->timer().time_us(launch, 0, 1);
    Measured measured{.cycles = std::vector<unsigned>(most_units)};
    std::vector<double> times_us;
    for (int i = 0; i < 21; ++i) {
      device_->fill(cycles_.data(), cycles_.size(), 0);
      times_us.push_back(device_->timer().time_us(launch, 0, 1).front());
      std::vector<unsigned> now(most_units);
      device_->download(cycles_.data(), std::as_writable_bytes(std::span(now)));
      for (std::size_t unit = 0; unit < most_units; ++unit) {
        auto& fewest = measured.cycles[unit];
        if (now[unit] != 0) fewest = fewest == 0 ? now[unit] : std::min(fewest, now[unit]);
      }
    }
    measured.time_us = median(times_us);
    return measured;
  }

  std::unique_ptr<Device> device_;
  std::optional<GpuModule> module_;
  Buffer cycles_;
};

TEST_F(ColdInstructions, MakeLongCodeSlowOnEveryMultiprocessor) {
  const auto warm = measure("long_code", false);
  const auto cold = measure("long_code", true);
  fmt::print("code of 256 pieces: {:.1f} us warm, {:.1f} us cold\n", warm.time_us, cold.time_us);
  EXPECT_GT(cold.time_us, 1.1 * warm.time_us);
  std::int64_t seen = 0;
  for (std::size_t unit = 0; unit < most_units; ++unit) {
    if (warm.cycles[unit] == 0 || cold.cycles[unit] == 0) continue;
    ++seen;
    EXPECT_GT(cold.cycles[unit], 1.1 * warm.cycles[unit]) << "multiprocessor " << unit << " kept the code";
  }
  EXPECT_GT(seen, device_->info().cu_num / 2);
}

TEST_F(ColdInstructions, LeaveShortCodeAsItIs) {
  const auto warm = measure("short_code", false);
  const auto cold = measure("short_code", true);
  fmt::print("the same work in two pieces of code: {:.1f} us warm, {:.1f} us cold\n", warm.time_us, cold.time_us);
  EXPECT_NEAR(cold.time_us, warm.time_us, 2 + 0.1 * warm.time_us);
}

TEST_F(ColdInstructions, LaunchEachIndexOnceInOrder) {
  for (const std::int64_t count : {0, 1, 3, 4, 5, 9}) {
    std::vector<std::int64_t> seen;
    auto launch = launches("short_code", true);
    launch.run = [&, run = launch.run](std::int64_t i) {
      seen.push_back(i);
      run(i);
    };
    const auto times = device_->timer().time_us(launch, 5, count);
    std::vector<std::int64_t> expected(static_cast<std::size_t>(count));
    std::iota(expected.begin(), expected.end(), 5);
    EXPECT_EQ(seen, expected) << count;
    EXPECT_EQ(times.size(), expected.size());
  }
}

TEST(ColdInstructionsText, TheKernelsOfThisTestCompile) {
  if (!KernelCompiler::open(KernelCache(default_kernel_cache()))) GTEST_SKIP() << KernelCompiler::why_not();
  EXPECT_GT(compile_kernel({.name = "cold.cu", .text = kernels(), .arch = "sm90a"}).size(), std::size_t{32} << 10);
}

}  // namespace
}  // namespace gemmtune
