#include "gemmtune/table/sheet/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "gemmtune/core/csv.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/table/dialect.h"
#include "gemmtune/table/fp8_type.h"
#include "gemmtune/table/guess_format.h"
#include "gemmtune/table/sheet/layout.h"

namespace gemmtune {
namespace {

std::vector<std::string> names_of(const std::vector<SheetColumn>& columns) {
  std::vector<std::string> names;
  for (const auto& column : columns) names.push_back(column.name);
  return names;
}

class Converter {
 public:
  Converter(const Sheet& sheet, const Conversion& conversion) : sheet_(sheet), conversion_(conversion) {
    choose_family();
    choose_columns();
  }

  Converted convert() {
    if (conversion_.schema == Schema::seed) insist_on_the_rule_for_gfx();
    result_.sheet = in_layout(sheet_, columns_);
    for (auto& row : result_.sheet.rows) {
      row = completed(std::move(row));
      insist_on_sizes(row);
    }
    insist_on_whole_problems();
    return std::move(result_);
  }

 private:
  void choose_family() {
    family_ = conversion_.family;
    if (family_ != nullptr) return;
    const auto file = std::filesystem::path(sheet_.sources.front()).filename().string();
    if (const auto guess = guess_format(file, names_of(sheet_.columns)); guess && !is_mxscale()) {
      family_ = find_family(to_string(guess->format));
      is_packed_ = guess->packed;
      note("{} is read as a table of {}: {}", sheet_.sources.front(), family_->name, guess->because);
      return;
    }
    family_ = schema_family_of(sheet_.columns);
    if (family_ == nullptr)
      fail(ErrorCode::input, "{}:1:1: its columns are those of no family of tables that has schemas: {}",
           sheet_.sources.front(), join(names_of(sheet_.columns), ","));
  }

  bool is_mxscale() const {
    const auto* family = schema_family_of(sheet_.columns);
    return family != nullptr && family->name == "batched_mxscale";
  }

  void choose_columns() {
    auto columns = sheet_columns(schema_columns(*family_, conversion_.schema));
    std::vector<std::string> dropped;
    for (const auto& column : sheet_.columns) {
      if (column.known && std::ranges::find(columns, column.known, &SheetColumn::known) != columns.end()) continue;
      if (is_own_key(column))
        insist_on_no_cell(column);
      else if (column.known == find_known_column("problem"))
        continue;  // see insist_on_whole_problems()
      else if (column.role == Role::provenance || column.known == find_known_column("gfx"))
        dropped.push_back(column.name);
      else
        columns.push_back(column);
    }
    columns_ = in_canonical_order(std::move(columns));
    for (const auto& column : columns_)
      if (const auto value = assumed_everywhere(column.name); !value.empty() && !sheet_.column(column.name))
        note("{}: has no {}, which is taken to be {}", sheet_.sources.front(), column.name, value);
    if (!dropped.empty())
      note("{}: left out, since the schema {} has no place for them: {}", sheet_.sources.front(),
           to_string(conversion_.schema), join(dropped, ", "));
  }

  static bool is_own_key(const SheetColumn& column) {
    return column.known == find_known_column("layout") || column.known == find_known_column("epilogue");
  }

  /// AITER's schemas are for contiguous operands and plain products. Rows of such problems have no text in this column,
  /// and lose nothing with it. Any other row is an error.
  void insist_on_no_cell(const SheetColumn& column) const {
    const auto place = sheet_.column(column.name);
    for (const auto& row : sheet_.rows)
      if (const auto text = sheet_.text(row, place); !says_nothing(text))
        fail(ErrorCode::input, "{}: the schema {} has no place for {} {}; leave such rows out first",
             sheet_.where(row, place), to_string(conversion_.schema), column.name, text);
  }

  /// Where the new columns do not say the problem whole, they must at least say the same.
  void insist_on_whole_problems() const {
    const auto place = sheet_.column("problem");
    if (!place || result_.sheet.column("problem")) return;
    for (std::size_t i = 0; i < sheet_.rows.size(); ++i) {
      const auto& row = sheet_.rows[i];
      const auto said = sheet_.text(row, place);
      const auto typed = typed_row(result_.sheet.rows[i]);
      if (said.empty() || (typed && to_string(typed->problem) == said)) continue;
      fail(ErrorCode::input, "{}: the schema {} of {} would make {} of {}; leave such rows out first",
           sheet_.where(row, place), to_string(conversion_.schema), family_->name,
           typed ? to_string(typed->problem) : "nothing", said);
    }
  }

  void insist_on_the_rule_for_gfx() {
    const auto gfx = sheet_.column("gfx");
    const auto cu_num = sheet_.column("cu_num");
    for (const auto& row : sheet_.rows) {
      const auto said = without_features(sheet_.text(row, gfx));
      const auto units = sheet_.text(row, cu_num);
      const auto by_rule = gfx_of(units);
      if (said.empty() || said == by_rule) continue;
      fail(ErrorCode::input, "{}: found gfx {} with {} compute units: without gfx {}; leave such rows out first",
           sheet_.where(row, gfx), said, units.empty() ? "no number of" : units,
           by_rule.empty() ? std::string("nothing tells its device") : fmt::format("it would be read as {}", by_rule));
    }
  }

  /// A row without a size is read by nothing: a list of another kind has no place in this family.
  void insist_on_sizes(const SheetRow& row) const {
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i].kind == CellKind::size && columns_[i].in_key() && says_nothing(row.cells[i]))
        fail(ErrorCode::input, "{}: a table of {} needs {}, which the row does not have", sheet_.where(row),
             family_->name, columns_[i].name);
  }

  SheetRow completed(SheetRow row) const {
    bool changed = false;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!row.cells[i].empty() || !columns_[i].known) continue;
      auto text = assumed(row, known_columns()[*columns_[i].known].name);
      changed = changed || !text.empty();
      row.cells[i] = std::move(text);
    }
    if (changed) row.raw = csv_line(row.cells);
    return row;
  }

  /// The assumed meaning of an empty cell of this column; "" if nothing is assumed.
  std::string assumed(const SheetRow& row, std::string_view column) const {
    if (column == "gfx") return std::string(without_features(conversion_.gfx));
    if (column == "cu_num") return conversion_.cu_num ? std::to_string(*conversion_.cu_num) : std::string();
    if (column == "q_dtype_w" && family_->name == "a8w8_bpreshuffle")
      return std::string(torch_name(fp8_of(gfx_of(result_.sheet, row))));
    if (column == "problem") {
      const auto typed = typed_row(row);
      return typed ? to_string(typed->problem) : std::string();
    }
    if (auto value = assumed_everywhere(column); !value.empty()) return value;
    const auto field = columns_from_header({std::string(column)}).front().field;
    return field == Field::tflops || field == Field::bandwidth ? derived(row, field) : std::string();
  }

  /// The same for all rows of the family, except that the FP8 type depends on the device. The tables of block scales
  /// and of bpreshuffle have a libtype since there are other libraries than CK for them.
  std::string assumed_everywhere(std::string_view column) const {
    const auto format = parse_format(family_->name);
    if (!format) return {};
    if (column == "libtype") return format == Format::a8w8_blockscale || format == Format::a8w8_bpreshuffle ? "ck" : "";
    const auto defaults = format_defaults(*format);
    if (column == "q_dtype_w" && format == Format::a8w8_bpreshuffle)
      return fmt::format("{} ({} on gfx942)", torch_name(fp8_of("")), torch_name(fp8_of("gfx942")));
    if (column == "q_dtype_w") return std::string(torch_name(defaults.w.type));
    if (column == "dtype") return std::string(torch_name(defaults.a.type));
    return column == "outdtype" ? std::string(torch_name(defaults.out)) : std::string();
  }

  /// Only for GEMM formats, because in AITER's other families columns of this name count other things.
  std::optional<TunedRow> typed_row(const SheetRow& row) const {
    const auto format = parse_format(family_->name);
    if (!format) return std::nullopt;
    TunedRow typed{.problem = format_defaults(*format)};
    typed.problem.packed = typed.problem.packed || is_packed_;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto known = columns_from_header({columns_[i].name}).front().field;
      const auto& cell = row.cells[i];
      if (!cell.empty() && !parse_cell(known, cell, typed) &&
          !parse_cell(known, canonical_value(columns_[i].kind, cell), typed))
        return std::nullopt;
    }
    return typed;
  }

  std::string derived(const SheetRow& row, Field field) const {
    const auto typed = time_us(result_.sheet, row) ? typed_row(row) : std::nullopt;
    return typed ? cell_text(field, *typed) : std::string();
  }

  template <typename... Args>
  void note(fmt::format_string<Args...> text, Args&&... args) {
    result_.notes.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  const Sheet& sheet_;
  const Conversion& conversion_;
  const SchemaFamily* family_{};
  bool is_packed_{};  // the weights of its rows
  std::vector<SheetColumn> columns_;
  Converted result_;
};

}  // namespace

Converted converted(const Sheet& sheet, const Conversion& conversion) { return Converter(sheet, conversion).convert(); }

}  // namespace gemmtune
