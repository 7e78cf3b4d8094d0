// The design to compare with: hash maps keyed by formatted texts, in which PyTorch's TunableOp looks up its results.
// For each call it formats the signature of the operation and that of the parameters, and looks up one after the other
// under a mutex.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gemmtune/gemm/problem.h"

namespace gemmtune::bench {

struct StringMapEntry {
  std::string kernel{};
  double time_us{};
};

class StringMap {
 public:
  explicit StringMap(const std::vector<Problem>& problems);

  /// Finds exact matches only. Returns a copy, as TunableOp does.
  std::optional<StringMapEntry> find(const Problem& problem) const;

 private:
  using Entries = std::unordered_map<std::string, StringMapEntry>;

  mutable std::mutex mutex_;
  std::unordered_map<std::string, Entries> entries_;
};

}  // namespace gemmtune::bench
