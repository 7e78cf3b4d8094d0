// The configurations worth trying for one matmul: the library's own ranking first, then everything that its algorithms
// accept for these sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gemmtune/families/cublaslt/algo_enumeration.h"
#include "gemmtune/families/cublaslt/algo_source.h"

namespace gemmtune::cublaslt {

/// The workspace that users give the library: PyTorch's on Hopper.
inline constexpr std::size_t default_workspace_bytes = std::size_t{32} << 20;

/// The largest workspace that is tried, because partial sums of split-K are large.
inline constexpr std::size_t large_workspace_bytes = std::size_t{256} << 20;

struct Entry {
  AlgoConfig config{};
  Accepted accepted{};
  bool ranked{};  // whether the library itself ranks it

  bool operator==(const Entry& other) const { return config == other.config; }
};

struct EnumerationLimits {
  std::size_t most{4000};  // number of entries; those furthest from the library's ranking are left out
  std::int64_t k{};        // K of the matmul, because each part of a split must have something to do
  bool fits_output{};      // whether partial sums may be rounded to the output's type without a loss
};

struct Enumeration {
  std::vector<Entry> entries{};  // without duplicates, the library's ranking first
  bool has_first_choice{};       // whether the first entry is the library's first choice for the usual workspace
  std::int64_t checks{};         // in addition to the checks of enumerate_algos()
  bool cut{};                    // whether EnumerationLimits::most left out entries
};

/// What the library ranks, all of `known` (the result of enumerate_algos() for the same matmul), and its splits of K.
/// All threads of the machine ask the library; the result does not depend on their number.
Enumeration enumerate(const AlgoSource& source, const EnumeratedAlgos& known, const EnumerationLimits& limits);

}  // namespace gemmtune::cublaslt
