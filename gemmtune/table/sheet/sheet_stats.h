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
  std::size_t keys{};  // distinct
  std::size_t unusable{};
  std::size_t timed{};
  std::size_t wrong{};                             // with an error ratio above the limit (table/error_ratio.h)
  std::size_t layers{};                            // distinct keys, not counting the device and M or token
  std::optional<Range> m{};                        // M or, of fused MoE, token
  std::map<std::string, std::size_t> devices{};    // "gfx950/256"; gfx filled by AITER's rule
  std::map<std::string, std::size_t> libraries{};  // by libtype
  std::size_t kernels{};                           // distinct names
};

SheetStats stats_of(const Sheet& sheet);

}  // namespace gemmtune
