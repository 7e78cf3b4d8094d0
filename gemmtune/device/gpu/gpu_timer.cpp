#include "gemmtune/device/gpu/gpu_timer.h"

#include <algorithm>
#include <cmath>

namespace gemmtune {
namespace {

constexpr double shortest_single_us = 100;
constexpr double sample_us = 200;  // what a graph should last, so that an event's half microsecond does not show
constexpr std::int64_t longest_graph = 64;

std::int64_t graph_size(double launch_us) {
  return std::clamp<std::int64_t>(std::llround(sample_us / std::max(launch_us, 1.0)), 2, longest_graph);
}

}  // namespace

GpuTimer::GpuTimer(GpuStream& stream)
    : stream_(&stream), start_(stream.driver().create_event()), end_(stream.driver().create_event()) {}

GpuTimer::~GpuTimer() {
  stream_->driver().destroy(start_);
  stream_->driver().destroy(end_);
}

double GpuTimer::time_between_us(const std::function<void()>& work) {
  const auto& driver = stream_->driver();
  driver.record(start_, stream_->handle());
  work();
  driver.record(end_, stream_->handle());
  driver.synchronize(end_);
  return driver.elapsed_us(start_, end_);
}

double GpuTimer::time_single_us(const Launch& launch, std::int64_t index) {
  return time_between_us([&] { launch(index); });
}

std::vector<double> GpuTimer::time_us(const Launch& launch, std::int64_t first, std::int64_t count) {
  if (count <= 0) return {};
  std::vector<double> times{time_single_us(launch, first)};
  if (count > 1 && times.front() < shortest_single_us) return time_graphs_us(launch, first, count, times.front());
  for (std::int64_t i = 1; i < count; ++i) times.push_back(time_single_us(launch, first + i));
  return times;
}

/// The first sample is dropped for one from a graph: singly, short launches look longer than they are.
std::vector<double> GpuTimer::time_graphs_us(const Launch& launch, std::int64_t first, std::int64_t count,
                                             double launch_us) {
  const auto size = graph_size(launch_us);
  std::vector<double> times;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto graph = capture(launch, first + i * size, size);
    times.push_back(graph != nullptr ? time_graph_us(graph) / static_cast<double>(size)
                                     : time_single_us(launch, first + i));
  }
  return times;
}

gpu::GraphHandle GpuTimer::capture(const Launch& launch, std::int64_t first, std::int64_t size) {
  const auto& driver = stream_->driver();
  driver.begin_capture(stream_->handle());
  for (std::int64_t i = first; i < first + size; ++i) launch(i);
  return driver.end_capture(stream_->handle());
}

double GpuTimer::time_graph_us(gpu::GraphHandle graph) {
  const auto& driver = stream_->driver();
  const auto exec = driver.instantiate(graph);
  driver.upload(exec, stream_->handle());
  const double time = time_between_us([&] { driver.launch(exec, stream_->handle()); });
  driver.destroy(exec);
  driver.destroy(graph);
  return time;
}

}  // namespace gemmtune
