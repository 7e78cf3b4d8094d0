// The columns of each family's tables, in each generation that can be written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {

enum class Schema : std::uint8_t {
  seed,      // AITER's until April 2026: cu_num first, no gfx
  today,     // gfx first
  gemmtune,  // today's columns, then layout, epilogue and the whole problem, then the origin of each row
};

std::string_view to_string(Schema schema);
std::optional<Schema> parse_schema(std::string_view text);

/// A family of tables. Families of GEMM formats have the formats' names (gemm/format.h).
struct SchemaFamily {
  std::string_view name{};
  std::string_view columns{};  // those of today's generation, joined by commas
};

/// The family whose columns are closest to these. Null for kernel lists and for unknown columns. If families have equal
/// columns, the first one.
const SchemaFamily* schema_family_of(const std::vector<SheetColumn>& columns);

/// The family with this name ("a8w8_bpreshuffle", "fmoe"). Null if there is none.
const SchemaFamily* find_family(std::string_view name);

std::vector<std::string> schema_columns(const SchemaFamily& family, Schema schema);

/// The same columns in an order that depends only on which columns they are: the schema's order of their family, with
/// other keys behind its keys, and the rest before `tflops`, where AITER inserts them.
std::vector<SheetColumn> in_canonical_order(std::vector<SheetColumn> columns);

}  // namespace gemmtune
