#include "gemmtune/bench/peaks.h"

#include <fmt/format.h>

#include <algorithm>

#include "gemmtune/core/clock.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/parallel.h"
#include "gemmtune/core/text.h"
#include "gemmtune/measure/sampler.h"
#include "gemmtune/tune/candidates.h"

namespace gemmtune {
namespace {

/// The operands and output of each type's problem. Types that need scales get the coarsest ones that families take.
constexpr std::array<const char*, 6> types_of_peaks{"bf16:bf16:bf16",
                                                    "fp16:fp16:fp16",
                                                    "f32:f32:f32",
                                                    "int8/tensor:int8/tensor:bf16",
                                                    "e4m3/tensor:e4m3/tensor:bf16",
                                                    "e2m1/1x32:e2m1/1x32:bf16"};

/// Far larger than the caches, and only a small part of the memory.
std::size_t copied_bytes(const DeviceInfo& device) {
  constexpr std::size_t least = 256UL << 20;
  constexpr std::size_t on_gpu = 1UL << 30;
  const auto cache = static_cast<std::size_t>(std::max<std::int64_t>(device.last_level_cache_bytes, 0));
  const auto wanted = device.kind == DeviceKind::cpu ? std::max(least, 4 * cache) : on_gpu;
  const auto memory = static_cast<std::size_t>(std::max<std::int64_t>(device.memory_bytes, 0));
  return memory == 0 ? wanted : std::min(wanted, memory / 8);
}

/// A GPU's copy uses the whole GPU. A CPU's copy uses the calling thread only.
void copy_once(Device& device, const Buffer& from, const Buffer& to) {
  const auto bytes = static_cast<std::int64_t>(from.size());
  const bool one_copy = device.info().kind != DeviceKind::cpu;
  const auto piece =
      one_copy ? bytes : (bytes + device.info().cu_num - 1) / std::max<std::int64_t>(device.info().cu_num, 1);
  parallel_pieces(bytes, piece, [&](std::int64_t begin, std::int64_t end) {
    device.copy(from.data() + begin, to.data() + begin, static_cast<std::size_t>(end - begin));
  });
}

}  // namespace

double copy_bandwidth_gbps(Device& device) {
  const auto bytes = copied_bytes(device.info());
  const auto from = device.allocate(bytes);
  const auto to = device.allocate(bytes);
  device.fill(from.data(), bytes, 0x5a5a);
  device.fill(to.data(), bytes, 0);
  const MeasurePolicy policy{.warmup = 3, .min_samples = 15, .max_samples = 51, .max_sampling_s = 1.5};
  const auto samples = sample(device.timer(), {[&](std::int64_t) { copy_once(device, from, to); }, 1}, policy);
  device.stream().synchronize();
  return 2 * static_cast<double>(bytes) / summarise(samples, false).median_us / 1e3;
}

std::int64_t peak_size(const DeviceInfo& device) {
  if (device.kind != DeviceKind::cpu) return 8192;
  if (device.cu_num <= 8) return 1024;
  return device.cu_num <= 32 ? 2048 : 4096;
}

std::vector<Problem> peak_problems(std::vector<std::string> types, std::int64_t size) {
  for (auto& type : types)
    if (const auto known = parse_dtype(type)) type = to_string(*known);
  std::vector<Problem> problems;
  std::vector<std::string> known;
  for (const auto* sides : types_of_peaks) {
    auto problem = parse_problem(fmt::format("{0}x{0}x{0}:{1}:packed", size, sides));
    known.push_back(peak_key(problem));
    if (types.empty() || std::ranges::find(types, known.back()) != types.end()) problems.push_back(problem);
  }
  for (const auto& type : types)
    if (std::ranges::find(known, type) == known.end())
      fail(ErrorCode::usage, "--types: found '{}', expected some of {}", type, join(known, ","));
  return problems;
}

std::optional<PeakResult> measure_peak(Evaluator& evaluator, const Problem& problem, const TunePlan& plan) {
  const auto supports = evaluator.supports(problem);
  const auto candidates = wanted_candidates(plan, evaluator.candidates(problem));
  if (candidates.empty()) return PeakResult{.why_none = why_no_candidates(plan, supports)};
  const auto found = search_best(evaluator, problem, candidates, plan);
  if (!found) return std::nullopt;
  if (!found->winner) return PeakResult{.why_none = found->why_failed};
  return PeakResult{.peak = MatrixPeak{.tflops = tflops(problem, found->winner->timing.median_us),
                                       .problem = problem,
                                       .kernel = found->winner->candidate.name,
                                       .date = utc_now()}};
}

}  // namespace gemmtune
