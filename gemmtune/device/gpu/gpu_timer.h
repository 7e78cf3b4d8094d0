// Times launches on a GPU by events of its own clock.
#pragma once

#include <cstdint>

#include "gemmtune/device/device.h"
#include "gemmtune/device/gpu/gpu_stream.h"

namespace gemmtune {

/// Launches over 100 µs are timed singly. Shorter ones would be ranked by the gaps between launches, so a sample is the
/// replay of a graph of consecutive launches, and its time their mean; what cannot be captured is timed singly.
class GpuTimer final : public Timer {
 public:
  explicit GpuTimer(GpuStream& stream);
  ~GpuTimer() override;
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;

  std::vector<double> time_us(const Launch& launch, std::int64_t first, std::int64_t count) override;

 private:
  double time_single_us(const Launch& launch, std::int64_t index);
  double time_between_us(const std::function<void()>& work);
  std::vector<double> time_graphs_us(const Launch& launch, std::int64_t first, std::int64_t count, double launch_us);
  gpu::GraphHandle capture(const Launch& launch, std::int64_t first, std::int64_t size);
  double time_graph_us(gpu::GraphHandle graph);

  GpuStream* stream_;
  gpu::EventHandle start_;
  gpu::EventHandle end_;
};

}  // namespace gemmtune
