// Options that take several values: "onednn,openblas".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/core/text.h"

namespace gemmtune {

/// The items without the spaces around them. Empty items are skipped.
inline std::vector<std::string> comma_list(std::string_view text) {
  std::vector<std::string> items;
  for (const auto item : split(text, ','))
    if (!trim(item).empty()) items.emplace_back(trim(item));
  return items;
}

}  // namespace gemmtune
