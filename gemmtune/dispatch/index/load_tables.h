// From files to a TableIndex: each file is read once, row by row.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/dispatch/index/table_index.h"
#include "gemmtune/dispatch/index/table_index_builder.h"
#include "gemmtune/dispatch/index/table_source.h"

namespace gemmtune {

/// A line that serves nothing, and why: "a.csv:7:3: M: found 'x', expected a whole number above 0".
struct SkippedLine {
  std::int64_t line{};
  std::string reason{};
};

/// Gives each row that can be served to `use`, with its line; the row is good during the call only. Throws Error{input}
/// for a text that is no table of this family.
std::vector<SkippedLine> read_rows(std::string_view text, const TableSource& source,
                                   const std::function<void(const TunedRow&, std::int64_t)>& use);

struct LoadedTables {
  TableIndex index{};
  std::vector<std::string> notes{};  // what was left out, one line for each file, to be said aloud
};

/// Throws Error{input} for a file that cannot be read or is no table of its family.
LoadedTables load_tables(std::span<const TableSource> sources, const BuildOptions& options = {});

}  // namespace gemmtune
