#include "gemmtune/device/cpu/cpu_timer.h"

#include <algorithm>
#include <chrono>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double shortest_single_us = 2.0;
constexpr double sample_us = 20.0;
constexpr std::int64_t most_launches = 1000;  // of a sample

/// The mean of these launches.
double mean_us(const Timer::Launch& launch, std::int64_t first, std::int64_t count) {
  const auto start = Clock::now();
  for (std::int64_t i = first; i < first + count; ++i) launch(i);
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count() / static_cast<double>(count);
}

/// How many launches that take about so long make a sample; 1 for launches that are long enough singly.
std::int64_t launches_for(double launch_us) {
  if (launch_us >= shortest_single_us) return 1;
  const double wanted = sample_us / std::max(launch_us, sample_us / most_launches);
  return std::max(static_cast<std::int64_t>(wanted), std::int64_t{1});
}

/// What was taken of too few launches shows that more are needed, and is no sample.
bool is_sample(double launch_us, std::int64_t launches) { return launches >= launches_for(launch_us) / 2; }

}  // namespace

std::vector<double> CpuTimer::time_us(const Launch& launch, std::int64_t first, std::int64_t count) {
  if (launch.cold_instructions) fail(ErrorCode::unsupported, "{}", why_not_cold_instructions(DeviceKind::cpu));
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
  std::vector<double> times;
  times.reserve(wanted);
  for (std::int64_t launches = 1; times.size() < wanted;) {
    const double launch_us = mean_us(launch, first, launches);
    first += launches;
    if (is_sample(launch_us, launches)) times.push_back(launch_us);
    launches = launches_for(launch_us);
  }
  return times;
}

}  // namespace gemmtune
