// What is in a table, counted.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {

struct Range {
  std::int64_t low{};
  std::int64_t high{};

  bool operator==(const Range&) const = default;
};

struct SheetStats {
  TableKind kind{TableKind::unknown};
  std::size_t rows{};
  std::size_t keys{};  // number of distinct keys
  std::size_t unusable{};
  std::size_t timed{};
  std::size_t wrong{};                             // rows whose error ratio is over the limit (table/error_ratio.h)
  std::size_t layers{};                            // distinct keys, not counting the device and M or token
  std::optional<Range> m{};                        // M or, for fused MoE, token
  std::map<std::string, std::size_t> devices{};    // keys such as "gfx950/256"; AITER's rule fills in a missing gfx
  std::map<std::string, std::size_t> libraries{};  // by libtype
  std::size_t kernels{};                           // number of distinct names
};

SheetStats stats_of(const Sheet& sheet);

}  // namespace gemmtune
