// What each kernel family brings to a shape: its default choice, and the one that tuning makes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gemmtune/bench/interleaved_bench.h"
#include "gemmtune/report/measurement.h"

namespace gemmtune {

/// A kernel that someone has tuned.
struct TunedKernel {
  std::string name{};
  std::string origin{};  // "tuned.csv:7", "tuned.trials.db#12"
};

/// By problem and family.
using TunedKernels = std::map<std::pair<Problem, std::string>, TunedKernel>;

/// The best of each family and shape among what tables, profiles and stores say of devices of this kind.
TunedKernels tuned_kernels(const Readings& readings, const DeviceInfo& device);

/// Each family's default as FAMILY_default and its tuned choice as FAMILY: as known or, where nothing is known,
/// searched among the plan's most_candidates. Families that cannot do the problem are left out when the plan names
/// none. Nothing when the evaluator was interrupted.
std::optional<std::vector<Contender>> family_contenders(Evaluator& evaluator, const Problem& problem,
                                                        const BenchPlan& plan, const TunedKernels& known);

}  // namespace gemmtune
