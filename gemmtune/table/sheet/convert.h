// Writes a table with the columns of another generation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/table/sheet/schema.h"
#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {

struct Conversion {
  Schema schema{Schema::today};
  const SchemaFamily* family{};          // null: told by the file's name or else by the columns
  std::string gfx{};                     // for rows that do not state it
  std::optional<std::int64_t> cu_num{};  // for rows that do not state it
};

struct Converted {
  Sheet sheet{};
  std::vector<std::string> notes{};  // what was assumed and what was left out, for the user
};

/// Rows keep their order, and their text if the columns are already the same. Columns that the schema lacks are kept,
/// except gfx and provenance where they do not belong. Missing types are the family's; missing tflops and bw are
/// computed. Throws Error{input} for tables of no known family, for rows that would be read as another device's without
/// gfx, and for layouts and epilogues that the schema cannot state.
Converted converted(const Sheet& sheet, const Conversion& conversion);

}  // namespace gemmtune
