#include "gemmtune/device/gpu/gpu_timer.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace gemmtune {
namespace {

constexpr double shortest_single_us = 500;
constexpr double sample_us = 400;  // what a graph should last, so that the overhead of two microseconds does not matter
constexpr std::int64_t longest_graph = 64;
constexpr std::int64_t longest_round = 256;  // the longest period of operands that one graph holds

/// How long the delay kernel waits while the host queues what is to be timed.
constexpr std::uint64_t delay_ns = 30'000;
constexpr std::size_t most_queued = 8;
constexpr std::int64_t most_cold = most_queued / 2;  // each has an event before it and one after it

std::int64_t graph_size(double launch_us) {
  return std::clamp<std::int64_t>(std::llround(sample_us / std::max(launch_us, 1.0)), 2, longest_graph);
}

/// A length of whole periods, so that each replay finds the operands in the same order, and each operand equally cold.
std::int64_t whole_rounds(std::int64_t size, std::int64_t period) { return (size + period - 1) / period * period; }

}  // namespace

GpuTimer::GpuTimer(GpuStream& stream) : stream_(&stream) {
  if (const auto code = stream.driver().delay_code(); !code.empty()) {
    delay_module_ = stream.driver().load_module(code);
    delay_ = stream.driver().function(delay_module_, "delay");
  }
  for (std::size_t i = 0; i <= most_queued; ++i) events_.push_back(stream.driver().create_event());
}

GpuTimer::~GpuTimer() {
  for (const auto event : events_) stream_->driver().destroy(event);
  if (delay_module_ != nullptr) stream_->driver().unload(delay_module_);
}

/// Starts a delay on the GPU. Without it, an idle GPU would reach the first event before the host has launched the
/// work. A fill would not do as the delay: the data that it leaves in the cache would be written back while the work is
/// timed.
void GpuTimer::hide_the_host() {
  if (delay_ == nullptr) return;
  const std::array arguments{reinterpret_cast<const std::byte*>(&delay_ns)};
  stream_->driver().launch(delay_, {}, stream_->handle(), arguments);
}

std::vector<double> GpuTimer::time_queued_us(const Launch& launch, std::int64_t first, std::int64_t count) {
  const auto& driver = stream_->driver();
  std::vector<double> times;
  while (static_cast<std::int64_t>(times.size()) < count) {
    const auto done = static_cast<std::int64_t>(times.size());
    const auto queued = std::min<std::int64_t>(count - done, most_queued);
    hide_the_host();
    driver.record(events_[0], stream_->handle());
    for (std::int64_t i = 0; i < queued; ++i) {
      launch(first + done + i);
      driver.record(events_[i + 1], stream_->handle());
    }
    driver.synchronize(events_[queued]);
    for (std::int64_t i = 0; i < queued; ++i) times.push_back(driver.elapsed_us(events_[i], events_[i + 1]));
  }
  return times;
}

/// The host queues the timed launches while the GPU empties its caches. The event between eviction and launch keeps
/// kernels that may start early from starting before the caches are empty.
std::vector<double> GpuTimer::time_cold_us(const Launch& launch, std::int64_t first, std::int64_t count) {
  const auto& driver = stream_->driver();
  if (!evictor_) evictor_.emplace(*stream_);
  std::vector<double> times;
  for (std::int64_t done = 0; done < count; done += most_cold) {
    const auto queued = std::min<std::int64_t>(count - done, most_cold);
    hide_the_host();
    for (std::int64_t i = 0; i < queued; ++i) {
      evictor_->evict();
      driver.record(events_[2 * i], stream_->handle());
      launch(first + done + i);
      driver.record(events_[2 * i + 1], stream_->handle());
    }
    driver.synchronize(events_[2 * queued - 1]);
    for (std::int64_t i = 0; i < queued; ++i) times.push_back(driver.elapsed_us(events_[2 * i], events_[2 * i + 1]));
  }
  return times;
}

std::vector<double> GpuTimer::time_us(const Launch& launch, std::int64_t first, std::int64_t count) {
  if (count <= 0) return {};
  if (launch.cold_instructions) return time_cold_us(launch, first, count);
  auto times = time_queued_us(launch, first, 1);
  if (count > 1 && times.front() < shortest_single_us) return time_graphs_us(launch, first, count, times.front());
  const auto more = time_queued_us(launch, first + 1, count - 1);
  times.insert(times.end(), more.begin(), more.end());
  return times;
}

/// Takes all samples from graphs. The one sample that was timed singly is dropped, because single timing makes short
/// launches look longer than they are.
std::vector<double> GpuTimer::time_graphs_us(const Launch& launch, std::int64_t first, std::int64_t count,
                                             double launch_us) {
  const bool comes_round = launch.period > 0 && launch.period <= longest_round;
  const auto size = comes_round ? whole_rounds(graph_size(launch_us), launch.period) : graph_size(launch_us);
  const auto replays = comes_round ? count : 1;
  std::vector<double> times;
  for (std::int64_t i = 0; i < count; i += replays) {
    const auto graph = capture(launch, first + i * size, size);
    if (graph == nullptr) return time_queued_us(launch, first, count);
    for (const double us : time_graph_us(graph, replays)) times.push_back(us / static_cast<double>(size));
  }
  return times;
}

gpu::GraphHandle GpuTimer::capture(const Launch& launch, std::int64_t first, std::int64_t size) {
  const auto& driver = stream_->driver();
  driver.begin_capture(stream_->handle());
  for (std::int64_t i = first; i < first + size; ++i) launch(i);
  return driver.end_capture(stream_->handle());
}

std::vector<double> GpuTimer::time_graph_us(gpu::GraphHandle graph, std::int64_t replays) {
  const auto& driver = stream_->driver();
  const auto exec = driver.instantiate(graph);
  driver.upload(exec, stream_->handle());
  auto times = time_queued_us({[&](std::int64_t) { driver.launch(exec, stream_->handle()); }}, 0, replays);
  driver.destroy(exec);
  driver.destroy(graph);
  return times;
}

}  // namespace gemmtune
