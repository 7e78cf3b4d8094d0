// Loads files into a TableIndex. Each file is read once, row by row.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/dispatch/index/table_index.h"
#include "gemmtune/dispatch/index/table_index_builder.h"
#include "gemmtune/dispatch/index/table_source.h"

namespace gemmtune {

/// A line that cannot be used, and the reason: "a.csv:7:3: M: found 'x', expected a whole number above 0".
struct SkippedLine {
  std::int64_t line{};
  std::string reason{};
};

/// Passes each row that can be served to `use`, with its line. The row is valid during the call only. `live_gfx` is the
/// device of rows that do not say theirs, for the FP8 type of rows that do not say it either. Throws Error{input} if
/// the text is not a table of this family.
std::vector<SkippedLine> read_rows(std::string_view text, const TableSource& source,
                                   const std::function<void(const TunedRow&, std::int64_t)>& use,
                                   std::string_view live_gfx = {});

struct LoadedTables {
  TableIndex index{};
  std::vector<std::string> notes{};  // what was left out, for the user: one line for each file
};

/// Throws Error{input} if a file cannot be read or is not a table of its family.
LoadedTables load_tables(std::span<const TableSource> sources, const BuildOptions& options = {});

}  // namespace gemmtune
