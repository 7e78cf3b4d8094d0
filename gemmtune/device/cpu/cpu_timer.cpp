#include "gemmtune/device/cpu/cpu_timer.h"

#include <time.h>

#include <algorithm>
#include <chrono>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double shortest_single_us = 2.0;
constexpr double sample_us = 20.0;
constexpr std::int64_t most_launches = 1000;  // of a sample

constexpr double noticed_us = 10'000;  // a shorter wait is the noise that statistics are for
constexpr int most_retakes = 3;        // of one call: a launch may wait by itself

double us_between(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double, std::micro>(end - start).count();
}

/// The time of these launches.
double total_us(const Timer::Launch& launch, std::int64_t first, std::int64_t count) {
  const auto start = Clock::now();
  for (std::int64_t i = first; i < first + count; ++i) launch(i);
  return us_between(start, Clock::now());
}

/// CPU time of all threads of this process so far.
double cpu_us() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

/// Finds samples during most of which the process did not run, since somebody stopped it or took its CPUs away. What it
/// measured then is no time of the kernel.
class StopWatch {
 public:
  /// Whether this was so for a sample that has just ended. Asks for the CPU time, which is slow, after long ones only.
  bool was_stopped(double took_us) {
    if (took_us < noticed_us) return false;
    const auto now = Clock::now();
    const double cpu = cpu_us();
    const double waited_us = us_between(wall_, now) - (cpu - cpu_us_);
    wall_ = now;
    cpu_us_ = cpu;
    return waited_us > std::max(noticed_us, took_us / 2);
  }

 private:
  Clock::time_point wall_{Clock::now()};  // of the last look
  double cpu_us_{cpu_us()};               // then
};

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
  StopWatch watch;
  int retakes = 0;
  for (std::int64_t launches = 1; times.size() < wanted;) {
    const double took_us = total_us(launch, first, launches);
    const double launch_us = took_us / static_cast<double>(launches);
    first += launches;
    if (watch.was_stopped(took_us) && ++retakes <= most_retakes) continue;
    if (is_sample(launch_us, launches)) times.push_back(launch_us);
    launches = launches_for(launch_us);
  }
  return times;
}

}  // namespace gemmtune
