// What changed between two tables of the same kind: which keys were added and removed, and which kernels and times
// changed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {

struct OneSided {
  std::string key{};
  std::string where{};
};

/// A key that both tables have.
struct Changed {
  std::string key{};
  std::string before_where{};
  std::string after_where{};
  std::string before{};  // the choice as "libtype=ck,splitK=0,kernelName=…", only what differs
  std::string after{};
  std::optional<double> before_us{};
  std::optional<double> after_us{};

  bool is_other_choice() const { return before != after; }

  /// The time after divided by the time before. Empty if one of them is missing.
  std::optional<double> ratio() const;
};

struct SheetDiff {
  std::vector<OneSided> only_before{};
  std::vector<OneSided> only_after{};
  std::vector<Changed> choices{};  // another kernel, whatever its time
  std::vector<Changed> times{};    // the same kernel, another time
  std::size_t same{};              // keys with equal choice and time

  bool is_empty() const { return only_before.empty() && only_after.empty() && choices.empty() && times.empty(); }
};

/// All lists are in the order of keys. If a table has several rows for a key, the fastest counts. Kernels are the same
/// if their names are the same; their numbers in a library count only if neither row names a kernel. Throws
/// Error{input} like merge().
SheetDiff diff(const Sheet& before, const Sheet& after);

}  // namespace gemmtune
