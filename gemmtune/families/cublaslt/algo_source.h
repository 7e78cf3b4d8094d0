// The questions that the enumeration asks the library for one matmul. A small interface, so that the enumeration is
// tested against invented libraries.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "gemmtune/families/cublaslt/algo_config.h"

namespace gemmtune::cublaslt {

/// What an algorithm says of itself. The library has no lists of inner shapes and clusters: they must be tried.
struct Capabilities {
  std::vector<unsigned> tiles{};   // empty: only the undefined one
  std::vector<unsigned> stages{};  // the same
  bool splits_k{};
  unsigned reductions{};  // mask of AlgoConfig::reduction
  bool swizzles{};
  unsigned custom_max{};
};

/// A configuration that the library takes.
struct Accepted {
  std::size_t workspace_bytes{};
  double waves{};  // how often its tiles fill the GPU; 0 when the library does not say
};

struct RankRequest {
  std::size_t workspace_bytes{};
  std::size_t most{};
  std::optional<int> only_id{};
};

/// Every function is called from several threads at once, above all `check`: an enumeration asks it tens of thousands
/// of times.
class AlgoSource {
 public:
  virtual ~AlgoSource() = default;

  /// Algorithms for the matmul's types.
  virtual std::vector<int> ids() const = 0;

  /// Nothing when the algorithm cannot do this matmul at all (alignment, epilogue, batches, arithmetic).
  virtual std::optional<Capabilities> capabilities(int id) const = 0;

  virtual std::optional<Accepted> check(const AlgoConfig& config) const = 0;

  /// The library's own ranking, best first.
  virtual std::vector<AlgoConfig> ranked(const RankRequest& request) const = 0;
};

}  // namespace gemmtune::cublaslt
