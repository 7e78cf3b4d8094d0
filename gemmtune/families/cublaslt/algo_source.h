// The questions that the enumeration asks the library about one matmul. The interface is small, so that the enumeration
// can be tested with invented libraries.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "gemmtune/families/cublaslt/algo_config.h"

namespace gemmtune::cublaslt {

/// What the library says about an algorithm. It has no lists of inner shapes and clusters, so these must be tried.
struct Capabilities {
  std::vector<unsigned> tiles{};   // empty: only the undefined tile
  std::vector<unsigned> stages{};  // empty: only the undefined stage count
  bool splits_k{};
  unsigned reductions{};  // mask of AlgoConfig::reduction
  bool swizzles{};
  unsigned custom_max{};
};

/// What the library says about a configuration that it accepts.
struct Accepted {
  std::size_t workspace_bytes{};
  double waves{};  // how often its tiles fill the GPU; 0 if the library does not report it
};

struct RankRequest {
  std::size_t workspace_bytes{};
  std::size_t most{};
  std::optional<int> only_id{};
};

/// Every function is called from several threads at once, above all check(), which an enumeration calls tens of
/// thousands of times.
class AlgoSource {
 public:
  virtual ~AlgoSource() = default;

  /// The numbers of the algorithms for the matmul's types.
  virtual std::vector<int> ids() const = 0;

  /// Empty if the algorithm cannot do this matmul at all (alignment, epilogue, batches, arithmetic).
  virtual std::optional<Capabilities> capabilities(int id) const = 0;

  virtual std::optional<Accepted> check(const AlgoConfig& config) const = 0;

  /// The library's own ranking, best first.
  virtual std::vector<AlgoConfig> ranked(const RankRequest& request) const = 0;
};

}  // namespace gemmtune::cublaslt
