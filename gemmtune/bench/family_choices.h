// What each kernel family offers for a shape: its default choice and its tuned choice.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gemmtune/bench/interleaved_bench.h"
#include "gemmtune/report/measurement.h"

namespace gemmtune {

/// A kernel that was tuned before.
struct TunedKernel {
  std::string name{};
  std::string origin{};  // "tuned.csv:7", "tuned.trials.db#12"
};

/// Maps a problem and a family to the tuned kernel.
using TunedKernels = std::map<std::pair<Problem, std::string>, TunedKernel>;

/// The best kernel of each family and shape in tables, profiles and stores of devices of this kind.
TunedKernels tuned_kernels(const Readings& readings, const DeviceInfo& device);

/// Each family's default as FAMILY_default and its tuned choice as FAMILY. The tuned choice is the known one; if none
/// is known, it is searched for among the plan's most_candidates. Families that cannot do the problem are left out
/// unless the plan names them. Empty if the evaluator was interrupted.
std::optional<std::vector<Contender>> family_contenders(Evaluator& evaluator, const Problem& problem,
                                                        const BenchPlan& plan, const TunedKernels& known);

}  // namespace gemmtune
