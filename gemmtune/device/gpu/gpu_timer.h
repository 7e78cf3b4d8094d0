// Times launches on a GPU with events on the GPU's own clock.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gemmtune/device/device.h"
#include "gemmtune/device/gpu/gpu_stream.h"
#include "gemmtune/device/gpu/instruction_evictor.h"

namespace gemmtune {

/// Launches over 500 µs are timed singly, queued behind a delay that hides the time the host takes to launch them.
/// Shorter launches would be ranked by the gaps between them, so a sample is the replay of a graph of consecutive
/// launches, and its time is their mean. Work that cannot be captured is timed singly. If operands repeat, one graph of
/// whole periods serves all samples of a call, because making a graph takes longer than replaying it.
///
/// Launches with cold instructions are always timed singly, each after kernels that empty the multiprocessors'
/// instruction caches.
class GpuTimer final : public Timer {
 public:
  explicit GpuTimer(GpuStream& stream);
  ~GpuTimer() override;
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;

  std::vector<double> time_us(const Launch& launch, std::int64_t first, std::int64_t count) override;

 private:
  std::vector<double> time_queued_us(const Launch& launch, std::int64_t first, std::int64_t count);
  std::vector<double> time_cold_us(const Launch& launch, std::int64_t first, std::int64_t count);
  std::vector<double> time_graphs_us(const Launch& launch, std::int64_t first, std::int64_t count, double launch_us);
  gpu::GraphHandle capture(const Launch& launch, std::int64_t first, std::int64_t size);
  std::vector<double> time_graph_us(gpu::GraphHandle graph, std::int64_t replays);
  void hide_the_host();

  GpuStream* stream_;
  gpu::ModuleHandle delay_module_{};
  gpu::FunctionHandle delay_{};
  std::vector<gpu::EventHandle> events_;
  std::optional<InstructionEvictor> evictor_;  // made for the first cold launch
};

}  // namespace gemmtune
