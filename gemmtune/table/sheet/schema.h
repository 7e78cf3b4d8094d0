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
  seed,      // cu_num first, no gfx: AITER's until April 2026
  today,     // gfx first
  gemmtune,  // today's, with layouts and epilogues, then where each row came from
};

std::string_view to_string(Schema schema);
std::optional<Schema> parse_schema(std::string_view text);

/// A family of tables. Those of GEMM formats have the formats' names (gemm/format.h).
struct SchemaFamily {
  std::string_view name{};
  std::string_view columns{};  // of today's generation, joined by commas
};

/// The family that a set of columns is closest to. Null for kernel lists and for unknown columns. Of families with
/// equal columns the first.
const SchemaFamily* schema_family_of(const std::vector<SheetColumn>& columns);

/// By name ("a8w8_bpreshuffle", "fmoe"). Null if there is none.
const SchemaFamily* find_family(std::string_view name);

std::vector<std::string> schema_columns(const SchemaFamily& family, Schema schema);

/// The same columns in an order that depends only on which columns they are: the schema's order of their family, with
/// other keys behind its keys, and the rest before `tflops`, where AITER inserts them.
std::vector<SheetColumn> in_canonical_order(std::vector<SheetColumn> columns);

}  // namespace gemmtune
