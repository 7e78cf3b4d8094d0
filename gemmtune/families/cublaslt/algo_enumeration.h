// Finds the configurations of an algorithm that the library accepts. The library lists tiles and stages, but inner
// shapes, clusters and all combinations must be tried.
//
// This is done for each problem, and takes tens of thousands of checks. Results cannot be shared between problems: of
// the configurations that cuBLASLt 13.1 accepts for decode shapes, it rejects three quarters for large ones.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "gemmtune/families/cublaslt/algo_source.h"

namespace gemmtune::cublaslt {

struct AlgoLimits {
  std::int64_t checks{30'000};          // for one algorithm
  std::int64_t accepted_of_a_pair{64};  // for one tile and stage count; those nearest to the plain settings come first
  std::int64_t futile_of_a_tile{256};   // checks without success, for an algorithm that the library never ranks
};

/// A configuration that the library accepts, and what the library says about it.
struct Taken {
  AlgoConfig config{};
  Accepted accepted{};
};

struct AlgoConfigs {
  std::vector<Taken> taken{};  // in ascending order, without splits of K
  std::int64_t checks{};       // questions asked of the library, as AlgoLimits::checks counts them
  bool cut{};                  // whether a limit was reached, so that there may be more
};

/// The key is the algorithm's number.
using EnumeratedAlgos = std::map<int, AlgoConfigs>;

/// Starts from each tile and stage count that the library accepts (with plain settings, with those that its ranking
/// uses, or with one setting changed). From there it changes one setting after the other, as long as the library
/// accepts the result. Settings that an algorithm ignores are not changed. All threads of the machine share the tiles;
/// the result does not depend on their number.
AlgoConfigs enumerate_algo(const AlgoSource& source, int id, const AlgoLimits& limits = {});

/// The same for each of the library's algorithms. Those that cannot do this matmul have no configurations.
EnumeratedAlgos enumerate_algos(const AlgoSource& source, const AlgoLimits& limits = {});

}  // namespace gemmtune::cublaslt
