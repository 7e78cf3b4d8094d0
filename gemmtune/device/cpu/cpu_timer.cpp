#include "gemmtune/device/cpu/cpu_timer.h"

#include <algorithm>
#include <chrono>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double shortest_single_us = 2.0;
constexpr double block_us = 20.0;

double time_block_us(const Timer::Launch& launch, std::int64_t first, std::int64_t count) {
  const auto start = Clock::now();
  for (std::int64_t i = first; i < first + count; ++i) launch(i);
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// How many launches make a block, going by the last one; 1 for launches that are long enough singly.
std::int64_t block_size(double last_us) {
  if (last_us >= shortest_single_us) return 1;
  return static_cast<std::int64_t>(block_us / std::max(last_us, 0.02));
}

}  // namespace

std::vector<double> CpuTimer::time_us(const Launch& launch, std::int64_t first, std::int64_t count) {
  if (launch.cold_instructions) fail(ErrorCode::unsupported, "{}", why_not_cold_instructions(DeviceKind::cpu));
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
  std::int64_t block = 1;
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t size = std::min(block, count - done);
    const double share = time_block_us(launch, first + done, size) / static_cast<double>(size);
    times.insert(times.end(), static_cast<std::size_t>(size), share);
    done += size;
    block = block_size(share);
  }
  return times;
}

}  // namespace gemmtune
