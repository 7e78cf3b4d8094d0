// A table written in another generation's columns.
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
  const SchemaFamily* family{};          // null: told by the file's name, else by the columns
  std::string gfx{};                     // of rows that do not say
  std::optional<std::int64_t> cu_num{};  // of rows that do not say
};

struct Converted {
  Sheet sheet{};
  std::vector<std::string> notes{};  // what was assumed and what was left out, to be said aloud
};

/// Rows keep their order; those of a sheet that has the columns already keep their text. Columns that the schema lacks
/// are kept, but for gfx and provenance where they do not belong. Missing types are those of the family, missing tflops
/// and bw are computed. Throws Error{input} for tables of no known family, and for rows that without gfx would be read
/// as another device's.
Converted converted(const Sheet& sheet, const Conversion& conversion);

}  // namespace gemmtune
