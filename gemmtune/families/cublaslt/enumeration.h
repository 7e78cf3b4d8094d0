// The list of what is worth trying for one matmul: the library's own ranking first, then everything that its algorithms
// take for these sizes.
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
  std::int64_t checks{};         // beside those of learning
  bool cut{};                    // by EnumerationLimits::most
};

/// What the library ranks, all of `known`, which was learnt of this very matmul, and its splits of K. The library is
/// asked on all threads of the machine, with one result whatever their number.
Enumeration enumerate(const AlgoSource& source, const EnumeratedAlgos& known, const EnumerationLimits& limits);

}  // namespace gemmtune::cublaslt
