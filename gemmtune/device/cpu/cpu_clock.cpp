#include "gemmtune/device/cpu/cpu_clock.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>

#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

int current_cpu() { return std::max(sched_getcpu(), 0); }

std::string cpu_folder(int cpu) { return fmt::format("/sys/devices/system/cpu/cpu{}", cpu); }

std::optional<std::int64_t> throttle_count(const SystemTree& tree, int cpu) {
  return tree.number(cpu_folder(cpu) + "/thermal_throttle/package_throttle_count");
}

/// The frequency on the "cpu MHz" line of the block that starts with "processor : <cpu>".
std::optional<double> mhz_of_cpuinfo(std::string_view cpuinfo, int cpu) {
  const auto block = cpuinfo.find(fmt::format("processor\t: {}\n", cpu));
  if (block == std::string_view::npos) return std::nullopt;
  const auto mhz = field(cpuinfo.substr(block), "cpu MHz");
  return mhz ? parse_double(*mhz) : std::nullopt;
}

double clock_mhz(const SystemTree& tree, int cpu) {
  const auto khz = tree.number(cpu_folder(cpu) + "/cpufreq/scaling_cur_freq");
  if (khz) return static_cast<double>(*khz) / 1000.0;
  return mhz_of_cpuinfo(tree.text("/proc/cpuinfo").value_or(""), cpu).value_or(0.0);
}

}  // namespace

CpuClock::CpuClock(SystemTree tree) : tree_(std::move(tree)), throttle_count_(throttle_count(tree_, current_cpu())) {}

ClockReading CpuClock::read() {
  const int cpu = current_cpu();
  const auto count = throttle_count(tree_, cpu);
  const bool throttled = count && throttle_count_ && *count > *throttle_count_;
  throttle_count_ = count;
  return {clock_mhz(tree_, cpu), throttled};
}

}  // namespace gemmtune
