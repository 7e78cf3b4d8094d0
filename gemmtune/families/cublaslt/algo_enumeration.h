// Which configurations of an algorithm the library takes at all: tiles and stages are listed by it, inner shapes,
// clusters and the combination of everything must be tried.
//
// AlgoConfigs anew for each problem, which takes tens of thousands of checks: of what cuBLASLt 13.1 takes for decode
// shapes, three quarters are turned down for large ones.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "gemmtune/families/cublaslt/algo_source.h"

namespace gemmtune::cublaslt {

struct AlgoLimits {
  std::int64_t checks{30'000};          // of one algorithm
  std::int64_t accepted_of_a_pair{64};  // of one tile with one stages, the nearest to the plain one first
  std::int64_t futile_of_a_tile{256};   // none taken so far, of an algorithm that the library never ranks
};

/// A configuration that the library takes, and what it says of it.
struct Taken {
  AlgoConfig config{};
  Accepted accepted{};
};

struct AlgoConfigs {
  std::vector<Taken> taken{};  // unsplit, ascending
  std::int64_t checks{};       // which the limit is about
  bool cut{};                  // a limit was met: there may be more
};

/// What was learnt of each algorithm.
using EnumeratedAlgos = std::map<int, AlgoConfigs>;

/// From each tile and stages that the library takes (plainly, or with the settings that its ranking uses, or with one
/// setting changed), one setting after the other is changed, as long as the library takes the result. Settings that an
/// algorithm does not look at are left as they are. Tiles are learnt on all threads of the machine, with one result
/// whatever their number.
AlgoConfigs enumerate_algo(const AlgoSource& source, int id, const AlgoLimits& limits = {});

/// The same of each of the library's algorithms, those that cannot do this matmul included.
EnumeratedAlgos enumerate_algos(const AlgoSource& source, const AlgoLimits& limits = {});

}  // namespace gemmtune::cublaslt
