// Timing with cold instructions. These tests need a GPU and are skipped elsewhere.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "gemmtune/device/gpu/gpu_device.h"
#include "gemmtune/device/gpu/gpu_module.h"
#include "gemmtune/device/gpu/instruction_evictor.h"
#include "gemmtune/device/gpu/kernel_compiler.h"

namespace gemmtune {
namespace {

constexpr int instructions = 1024;  // 16 KiB of code, which fit into the caches nearest to the cores
constexpr std::size_t most_units = 1024;

/// What a multiprocessor noted during one launch: the cycles of its first and second pass. 0 where no multiprocessor
/// has this number.
struct Cycles {
  unsigned first, second;
};

/// A kernel that runs twice through the same long code. Cached instructions take a cycle each, faster than they can be
/// fetched into the cache. If the code were longer than the caches nearest to the cores, the second pass would be as
/// slow as the first.
std::string two_passes() {
  std::string text = R"(extern "C" __global__ void two_passes(unsigned* cycles) {
  unsigned unit, start, end;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(unit));
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5, g = a + 6, h = a + 7;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    asm volatile("mov.u32 %0, %%clock;" : "=r"(start) :: "memory");
    asm volatile(
)";
  for (int i = 0; i < instructions; ++i)
    text += fmt::format("\"fma.rn.f32 %{0}, %{0}, 0f{1:08x}, %{2};\\n\"\n", i % 8, 0x3e800000 + i, (i + 1) % 8);
  return text + R"(: "+f"(a), "+f"(b), "+f"(c), "+f"(d), "+f"(e), "+f"(f), "+f"(g), "+f"(h));
    asm volatile("mov.u32 %0, %%clock;" : "=r"(end) :: "memory");
    if (threadIdx.x == 0) cycles[2 * unit + pass] = end - start;
  }
  if (a + b + c + d + e + f + g + h == 1) cycles[2 * unit] = 0;  // else the code would be left out
})";
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + std::ssize(values) / 2, values.end());
  return values[values.size() / 2];
}

class ColdInstructions : public testing::Test {
 protected:
  void SetUp() override {
    const auto gpus = list_gpus();
    if (gpus.empty()) GTEST_SKIP() << "this machine has no GPU";
    if (const auto why = why_not_cold_instructions(gpus.front().kind); !why.empty()) GTEST_SKIP() << why;
    device_ = make_gpu_device(gpus.front());
    code_ = compile_kernel({.name = "cold.cu", .text = two_passes(), .arch = device_->info().arch});
    cycles_ = device_->allocate(most_units * sizeof(Cycles));
  }

  /// A launch with one block for each multiprocessor.
  Timer::Launch launches(const GpuModule& code, bool cold) {
    const LaunchShape shape{.grid = {static_cast<unsigned>(device_->info().cu_num)}, .block = {32}};
    return {.run = [this, &code, shape, kernel = code.function("two_passes")](
                       std::int64_t) { code.launch(device_->stream(), kernel, shape, cycles_.data()); },
            .cold_instructions = cold};
  }

  struct Measured {
    double time_us;
    std::vector<Cycles> cycles;  // of each multiprocessor, by its number

    double median_of(unsigned Cycles::*round) const {
      std::vector<double> values;
      for (const auto& unit : cycles)
        if (unit.first != 0) values.push_back(unit.*round);
      return values.empty() ? 0 : median(values);
    }
  };

  Measured measure_once(const GpuModule& code, bool cold) {
    device_->fill(cycles_.data(), cycles_.size(), 0);
    Measured measured{.time_us = device_->timer().time_us(launches(code, cold), 0, 1).front(),
                      .cycles = std::vector<Cycles>(most_units)};
    device_->download(cycles_.data(), std::as_writable_bytes(std::span(measured.cycles)));
    return measured;
  }

  /// The median time of 21 launches, and the fewest cycles of each pass.
  Measured measure(const GpuModule& code, bool cold) {
    for (int i = 0; i < 3; ++i) measure_once(code, cold);
    Measured fewest{.time_us = 0, .cycles = std::vector<Cycles>(most_units)};
    const auto keep = [](unsigned& kept, unsigned now) {
      if (now != 0 && (kept == 0 || now < kept)) kept = now;
    };
    std::vector<double> times_us;
    for (int i = 0; i < 21; ++i) {
      const auto now = measure_once(code, cold);
      times_us.push_back(now.time_us);
      for (std::size_t unit = 0; unit < most_units; ++unit) {
        keep(fewest.cycles[unit].first, now.cycles[unit].first);
        keep(fewest.cycles[unit].second, now.cycles[unit].second);
      }
    }
    fewest.time_us = median(times_us);
    return fewest;
  }

  std::unique_ptr<Device> device_;
  KernelCode code_;
  Buffer cycles_;
};

TEST_F(ColdInstructions, MakeTheFirstPassThroughCodeSlowOnEveryMultiprocessor) {
  const GpuModule code(code_);
  const auto warm = measure(code, false);
  const auto cold = measure(code, true);
  fmt::print("warm: {:.1f} us, {:.0f} cycles, again {:.0f}\ncold: {:.1f} us, {:.0f} cycles, again {:.0f}\n",
             warm.time_us, warm.median_of(&Cycles::first), warm.median_of(&Cycles::second), cold.time_us,
             cold.median_of(&Cycles::first), cold.median_of(&Cycles::second));
  EXPECT_GT(cold.time_us, warm.time_us);
  std::int64_t seen = 0;
  for (std::size_t unit = 0; unit < most_units; ++unit) {
    if (warm.cycles[unit].first == 0 || cold.cycles[unit].first == 0) continue;
    ++seen;
    EXPECT_LT(warm.cycles[unit].first, 1.1 * warm.cycles[unit].second) << "multiprocessor " << unit << " lost the code";
    EXPECT_GT(cold.cycles[unit].first, 1.2 * warm.cycles[unit].first) << "multiprocessor " << unit << " kept the code";
    EXPECT_LT(cold.cycles[unit].second, 1.1 * warm.cycles[unit].second) << "multiprocessor " << unit;
  }
  EXPECT_GT(seen, device_->info().cu_num / 2);
}

/// No code can be colder than code that the driver has just loaded.
TEST_F(ColdInstructions, AreAsColdAsThoseOfCodeThatWasNeverRun) {
  std::vector<double> loaded_cycles, cold_cycles;
  const GpuModule kept(code_);
  for (int i = 0; i < 11; ++i) {
    const GpuModule loaded(code_);
    loaded_cycles.push_back(measure_once(loaded, false).median_of(&Cycles::first));
    cold_cycles.push_back(measure_once(kept, true).median_of(&Cycles::first));
  }
  fmt::print("code never run: {:.0f} cycles, cold: {:.0f}\n", median(loaded_cycles), median(cold_cycles));
  EXPECT_NEAR(median(cold_cycles), median(loaded_cycles), 0.1 * median(loaded_cycles));
}

TEST_F(ColdInstructions, LaunchEachIndexOnceInOrder) {
  const GpuModule code(code_);
  for (const std::int64_t count : {0, 1, 3, 4, 5, 9}) {
    std::vector<std::int64_t> seen;
    auto launch = launches(code, true);
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

/// An eviction precedes every sample.
TEST_F(ColdInstructions, CostLessThanAMillisecondEach) {
  const InstructionEvictor evictor(dynamic_cast<GpuStream&>(device_->stream()));
  const auto times = device_->timer().time_us({.run = [&](std::int64_t) { evictor.evict(); }}, 0, 8);
  fmt::print("an eviction: {:.0f} us\n", median(times));
  EXPECT_LT(median(times), 1000);
}

TEST(ColdInstructionsText, TheKernelOfThisTestIsAsLongAsMeant) {
  if (!KernelCompiler::open(KernelCache(default_kernel_cache()), DeviceKind::cuda))
    GTEST_SKIP() << KernelCompiler::why_not(DeviceKind::cuda);
  EXPECT_GT(compile_kernel({.name = "cold.cu", .text = two_passes(), .arch = "sm90a"}).bytes.size(),
            16U * instructions);
}

}  // namespace
}  // namespace gemmtune
