// What is compared with: hash maps by formatted texts, as PyTorch's TunableOp looks its results up. For each call it
// formats an operation's signature and the parameters', and finds one after the other under a mutex.
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

  /// Exact matches only; a copy, as there.
  std::optional<StringMapEntry> find(const Problem& problem) const;

 private:
  using Entries = std::unordered_map<std::string, StringMapEntry>;

  mutable std::mutex mutex_;
  std::unordered_map<std::string, Entries> entries_;
};

}  // namespace gemmtune::bench
