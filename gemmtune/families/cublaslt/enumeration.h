// The configurations worth trying for one matmul: the library's own ranking first, then everything that its algorithms
// accept for these sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gemmtune/families/cublaslt/algo_enumeration.h"
#include "gemmtune/families/cublaslt/algo_source.h"

namespace gemmtune::cublaslt {

/// What users give the library: PyTorch's workspace on Hopper.
inline constexpr std::size_t default_workspace_bytes = std::size_t{32} << 20;

/// What is tried beyond it: partial sums of split-K are large.
inline constexpr std::size_t large_workspace_bytes = std::size_t{256} << 20;

struct Entry {
  AlgoConfig config{};
  Accepted accepted{};
  bool ranked{};  // by the library itself

  bool operator==(const Entry& other) const { return config == other.config; }
};

struct EnumerationLimits {
  std::size_t most{4000};  // entries; the furthest from the library's ranking are left out
  std::int64_t k{};        // of the matmul: a split must leave each part something to do
  bool fits_output{};      // partial sums may be rounded to the output's type without a loss
};

struct Enumeration {
  std::vector<Entry> entries{};  // without duplicates, the library's ranking first
  bool has_first_choice{};       // the first entry is the library's first choice for the usual workspace
  std::int64_t checks{};         // in addition to those of enumerate_algos
  bool cut{};                    // entries were left out by EnumerationLimits::most
};

/// What the library ranks, all of `known` (the result of enumerate_algos for the same matmul), and its splits of K. The
/// library is asked on all threads of the machine; the result does not depend on how many there are.
Enumeration enumerate(const AlgoSource& source, const EnumeratedAlgos& known, const EnumerationLimits& limits);

}  // namespace gemmtune::cublaslt
