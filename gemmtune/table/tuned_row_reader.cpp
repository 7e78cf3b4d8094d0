#include "gemmtune/table/tuned_row_reader.h"

#include <algorithm>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/table/error_ratio.h"
#include "gemmtune/table/fp8_type.h"
#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {
namespace {

bool has_field(const std::vector<Column>& columns, Field field) {
  return std::ranges::find(columns, field, &Column::field) != columns.end();
}

/// Columns that were added or removed in some generation of AITER's tables.
bool is_optional(Field field) {
  return field == Field::gfx || field == Field::cu_num || field == Field::scale_ab || field == Field::bpreshuffle ||
         field == Field::layout || field == Field::epilogue || field == Field::problem;
}

/// Columns that tables of the format lack in its first generations.
bool came_later(Field field) { return field == Field::q_dtype_w; }

/// A table is of a format if they agree on the key, and the table has times and names.
bool is_of_format(const std::vector<Column>& columns, Format format) {
  const bool has_results = has_field(columns, Field::time_us) && has_field(columns, Field::kernel_name);
  if (states_problems(columns)) return has_results;
  if (!is_aiter(format)) return false;
  const auto expected = default_columns(format);
  for (auto field = Field::gfx; is_key(field); field = static_cast<Field>(static_cast<int>(field) + 1)) {
    const bool is_there = has_field(columns, field);
    const bool is_expected = has_field(expected, field);
    if (is_optional(field) || is_there == is_expected || (is_expected && came_later(field))) continue;
    return false;
  }
  return has_results;
}

/// Rows that differ only in a key without a field would be taken for each other.
void insist_on_fields_for_keys(const std::vector<SheetColumn>& columns, std::string_view source) {
  for (const auto& column : columns)
    if (column.in_key() && columns_from_header({column.name}).front().field == Field::unknown)
      fail(ErrorCode::input,
           "{}:1:1: the column {} stands left of the results, so it is part of what rows are for; "
           "rows with such a key are neither served nor tuned",
           source, column.name);
}

bool has_libtype(Format format) { return format == Format::a8w8_blockscale || format == Format::a8w8_bpreshuffle; }

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
  const auto columns = sheet_columns(names);
  insist_on_single_columns(columns, source);
  insist_on_fields_for_keys(columns, source);
  for (const auto& column : columns) kinds_.push_back(column.kind);
  needed_ = needed_cells(names);
  if (has_libtype(format)) defaults_.libtype = "ck";
  is_fp8_unless_said_ = format == Format::a8w8_bpreshuffle && !states_problems(columns_);
}

std::optional<LineComplaint> TunedRowReader::read(std::span<const CsvField> cells) {
  if (cells.size() < needed_) return LineComplaint{cells.size() - 1, too_few_cells(cells.size(), needed_)};
  row_ = defaults_;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (const auto text = text_at(cells, i); !take(i, text))
      return LineComplaint{std::min(i, cells.size() - 1), complaint_on(i, text)};
  for (auto i = columns_.size(); i < cells.size(); ++i)
    if (!cells[i].text.empty())
      return LineComplaint{i,
                           fmt::format("found '{}' beyond the last column, {}", cells[i].text, columns_.back().name)};
  if (is_fp8_unless_said_) fill_fp8(cells);
  row_.problem.layout = canonical_layout(row_.problem);
  if (auto why = why_invalid(row_.problem); !why.empty()) return LineComplaint{0, std::move(why)};
  return std::nullopt;
}

/// FP8 of the row's device, if the row says its device and no type.
void TunedRowReader::fill_fp8(std::span<const CsvField> cells) {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].field == Field::q_dtype_w && !says_nothing(text_at(cells, i))) return;
  const auto gfx = row_.gfx.empty() ? gfx_of(std::to_string(row_.cu_num)) : std::string_view(row_.gfx);
  if (!gfx.empty()) row_.problem.a.type = row_.problem.w.type = fp8_of(gfx);
}

/// Most cells are spelled as parse_cell() expects. Such cells are not copied, because tables have a million rows.
bool TunedRowReader::take(std::size_t column, std::string_view text) {
  const auto field = columns_[column].field;
  const auto kind = kinds_[column];
  if (field == Field::err_ratio) return take_share(text);
  if (field == Field::problem && says_nothing(text)) return false;
  if (says_nothing(text)) return kind != CellKind::size && (kind != CellKind::flag || parse_cell(field, "0", row_));
  if (kind == CellKind::size && !why_not(kind, text).empty()) return false;
  return parse_cell(field, text, row_) || parse_cell(field, canonical_value(kind, text), row_);
}

bool TunedRowReader::take_share(std::string_view text) {
  if (!says_nothing(text) && !why_not(CellKind::share, text).empty()) return false;
  row_.err_ratio = share_in(text);
  return true;
}

std::string TunedRowReader::complaint_on(std::size_t column, std::string_view text) const {
  const auto kind = kinds_[column];
  const auto field = columns_[column].field;
  const auto expected = kind == CellKind::type     ? "the name of a type"
                        : field == Field::layout   ? "a layout, as nn:lda=16384"
                        : field == Field::epilogue ? "an epilogue, as gelu_tanh:residual"
                        : field == Field::problem  ? "a problem of the sizes beside it, as 64x4096x4096:bf16:bf16:bf16"
                                                   : why_not(kind, text);
  return fmt::format("{}: found '{}', expected {}", columns_[column].name, text, expected);
}

}  // namespace gemmtune
