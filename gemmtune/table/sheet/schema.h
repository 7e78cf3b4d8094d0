// The columns that tables of each family have, in the generations that are written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {

enum class Schema : std::uint8_t {
  seed,      // cu_num first, no gfx: AITER's until April 2026
  today,     // gfx first
  gemmtune,  // today's, then where each row came from
};

std::string_view to_string(Schema schema);
std::optional<Schema> parse_schema(std::string_view text);

/// A family of tables. Those of GEMM formats have the formats' names (gemm/format.h).
struct SchemaFamily {
  std::string_view name{};
  std::string_view columns{};  // of today's generation, joined by commas
};

/// What a set of columns is closest to; null for kernel lists and what is not known. Of families with equal columns the
/// first.
const SchemaFamily* schema_family_of(const std::vector<SheetColumn>& columns);

/// By name ("a8w8_bpreshuffle", "fmoe"); null when there is none.
const SchemaFamily* find_family(std::string_view name);

std::vector<std::string> schema_columns(const SchemaFamily& family, Schema schema);

/// The same columns in one order that depends on nothing but which they are: the schema's of their family, with others
/// before `tflops`, as AITER inserts them.
std::vector<SheetColumn> in_canonical_order(std::vector<SheetColumn> columns);

}  // namespace gemmtune
