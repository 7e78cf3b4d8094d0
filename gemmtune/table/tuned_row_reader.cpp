#include "gemmtune/table/tuned_row_reader.h"

#include <algorithm>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {
namespace {

bool has_field(const std::vector<Column>& columns, Field field) {
  return std::ranges::find(columns, field, &Column::field) != columns.end();
}

/// Columns that were added or removed in some generation of AITER's tables.
bool is_optional(Field field) {
  return field == Field::gfx || field == Field::cu_num || field == Field::scale_ab || field == Field::bpreshuffle ||
         field == Field::layout || field == Field::epilogue;
}

/// A table is of a format if they agree on the key, and the table has times and names.
bool is_of_format(const std::vector<Column>& columns, Format format) {
  const auto expected = default_columns(format);
  for (auto field = Field::gfx; is_key(field); field = static_cast<Field>(static_cast<int>(field) + 1))
    if (!is_optional(field) && has_field(columns, field) != has_field(expected, field)) return false;
  return has_field(columns, Field::time_us) && has_field(columns, Field::kernel_name);
}

std::string_view text_at(std::span<const CsvField> cells, std::size_t column) {
  return column < cells.size() ? cells[column].text : std::string_view();
}

}  // namespace

TunedRowReader::TunedRowReader(const std::vector<std::string>& names, Format format, const Problem& defaults,
                               std::string_view source)
    : columns_(columns_from_header(names)), defaults_{.problem = defaults} {
  if (!is_of_format(columns_, format))
    fail(ErrorCode::input, "{}:1:1: found columns {}, expected those of an {} table: {}", source, join(names, ","),
         to_string(format), header_text(default_columns(format)));
  for (const auto& column : sheet_columns(names)) kinds_.push_back(column.kind);
}

std::optional<LineComplaint> TunedRowReader::read(std::span<const CsvField> cells) {
  row_ = defaults_;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (const auto text = text_at(cells, i); !take(i, text))
      return LineComplaint{std::min(i, cells.size() - 1), complaint_on(i, text)};
  for (auto i = columns_.size(); i < cells.size(); ++i)
    if (!cells[i].text.empty())
      return LineComplaint{i,
                           fmt::format("found '{}' beyond the last column, {}", cells[i].text, columns_.back().name)};
  row_.problem.layout = canonical_layout(row_.problem);
  if (auto why = why_invalid(row_.problem); !why.empty()) return LineComplaint{0, std::move(why)};
  return std::nullopt;
}

/// Most cells are spelled as parse_cell() expects. Such cells are not copied, because tables have a million rows.
bool TunedRowReader::take(std::size_t column, std::string_view text) {
  const auto field = columns_[column].field;
  const auto kind = kinds_[column];
  if (says_nothing(text)) return kind != CellKind::size && (kind != CellKind::flag || parse_cell(field, "0", row_));
  if (kind == CellKind::size && !why_not(kind, text).empty()) return false;
  return parse_cell(field, text, row_) || parse_cell(field, canonical_value(kind, text), row_);
}

std::string TunedRowReader::complaint_on(std::size_t column, std::string_view text) const {
  const auto kind = kinds_[column];
  const auto field = columns_[column].field;
  const auto expected = kind == CellKind::type     ? "the name of a type"
                        : field == Field::layout   ? "a layout, as nn:lda=16384"
                        : field == Field::epilogue ? "an epilogue, as gelu_tanh:residual"
                                                   : why_not(kind, text);
  return fmt::format("{}: found '{}', expected {}", columns_[column].name, text, expected);
}

}  // namespace gemmtune
