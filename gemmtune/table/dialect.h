// A dialect of AITER's tables: which columns a file has. Dialects are data, a header line and one list of columns, so
// that another generation of files (with gfx, in lower case, in another order) is just another header.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/gemm/format.h"
#include "gemmtune/table/sheet/known_columns.h"
#include "gemmtune/table/sheet/schema.h"
#include "gemmtune/table/tuned_row.h"

namespace gemmtune {

struct Column {
  std::string name{};
  Field field{Field::unknown};

  bool operator==(const Column&) const = default;
};

/// Whether the field is part of a row's key. Rows with equal keys are for the same problem on the same kind of device.
bool is_key(Field field);

/// Finds the columns in the dictionary (table/sheet/known_columns.h).
std::vector<Column> columns_from_header(const std::vector<std::string>& names);

/// The columns of new tables of this format.
std::vector<Column> default_columns(Format format, Schema schema = Schema::seed);

/// The header line of a file with these columns.
std::string header_text(const std::vector<Column>& columns);

/// The text of the cell: times and error ratios with at most 4 decimals, tflops and bw with 2, each in the shortest
/// form; True and False; torch.bfloat16.
std::string cell_text(Field field, const TunedRow& row);

/// Sets what a cell states. False if the text is not a value of the field. Derived fields (tflops, bw) and unknown
/// fields are ignored.
[[nodiscard]] bool parse_cell(Field field, std::string_view text, TunedRow& row);

/// The cells of the row's key, joined into one text.
std::string key_text(const std::vector<Column>& columns, const TunedRow& row);

/// Whether rows say their whole problem, so that nothing else needs to tell their format.
bool states_problems(const std::vector<Column>& columns);

/// The columns of new tables for problems of several formats.
std::vector<Column> columns_for_any_format();

}  // namespace gemmtune
