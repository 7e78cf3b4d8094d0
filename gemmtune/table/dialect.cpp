#include "gemmtune/table/dialect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gemmtune/core/csv.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

std::string integer(std::int64_t value) { return std::to_string(value); }
std::string boolean(bool value) { return value ? "True" : "False"; }
std::string type_text(DType type) { return std::string(torch_name(type)); }

/// Rounds like Python's round(), and prints like Python's repr().
std::string rounded(double value, int decimals) {
  return shortest(parse_double(fmt::format("{:.{}f}", value, decimals)).value_or(value));
}

/// The text of a measured value. Empty if nothing was sampled.
std::string measured(const TunedRow& row, double value) {
  return row.origin.samples == 0 ? std::string() : rounded(value, 4);
}

template <typename T, typename Value>
bool assign(T& target, const std::optional<Value>& value) {
  if (value) target = *value;
  return value.has_value();
}

bool set_inputs(Problem& problem, std::string_view text) {
  const auto type = parse_dtype(text);
  if (type) set_input_types(problem, *type);
  return type.has_value();
}

bool set_tensor_scales(Problem& problem, std::string_view text) {
  const auto scaled = parse_bool(text);
  if (scaled) problem.a.scaling = problem.w.scaling = *scaled ? Scaling::tensor : Scaling::none;
  return scaled.has_value();
}

/// The sizes must be those of the columns before: if they are not, somebody edited only one of them.
bool set_problem(Problem& problem, std::string_view text) {
  try {
    const auto said = parse_problem(text);
    const auto agrees = [](std::int64_t column, std::int64_t size) { return column == 0 || column == size; };
    if (!agrees(problem.m, said.m) || !agrees(problem.n, said.n) || !agrees(problem.k, said.k)) return false;
    problem = said;
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool derived(TunedRow&, std::string_view) { return true; }

/// How a field is written and read. table/sheet/known_columns.h has the names.
struct Rule {
  Field field;
  std::string (*write)(const TunedRow&);
  bool (*read)(TunedRow&, std::string_view);
};

using Row = TunedRow;
using Text = std::string_view;

constexpr std::array<Rule, 32> rules{{
    {Field::gfx, [](const Row& row) { return row.gfx; },
     [](Row& row, Text text) { return assign(row.gfx, std::optional(std::string(without_features(text)))); }},
    {Field::cu_num, [](const Row& row) { return integer(row.cu_num); },
     [](Row& row, Text text) { return assign(row.cu_num, parse_int(text)); }},
    {Field::batch, [](const Row& row) { return integer(row.problem.batch); },
     [](Row& row, Text text) { return assign(row.problem.batch, parse_int(text)); }},
    {Field::m, [](const Row& row) { return integer(row.problem.m); },
     [](Row& row, Text text) { return assign(row.problem.m, parse_int(text)); }},
    {Field::n, [](const Row& row) { return integer(row.problem.n); },
     [](Row& row, Text text) { return assign(row.problem.n, parse_int(text)); }},
    {Field::k, [](const Row& row) { return integer(row.problem.k); },
     [](Row& row, Text text) { return assign(row.problem.k, parse_int(text)); }},
    {Field::q_dtype_w, [](const Row& row) { return type_text(row.problem.w.type); },
     [](Row& row, Text text) { return set_inputs(row.problem, text); }},
    {Field::bias, [](const Row& row) { return boolean(row.problem.epilogue.bias); },
     [](Row& row, Text text) { return assign(row.problem.epilogue.bias, parse_bool(text)); }},
    {Field::dtype, [](const Row& row) { return type_text(row.problem.a.type); },
     [](Row& row, Text text) { return set_inputs(row.problem, text); }},
    {Field::outdtype, [](const Row& row) { return type_text(row.problem.out); },
     [](Row& row, Text text) { return assign(row.problem.out, parse_dtype(text)); }},
    {Field::scale_ab, [](const Row& row) { return boolean(row.problem.a.scaling != Scaling::none); },
     [](Row& row, Text text) { return set_tensor_scales(row.problem, text); }},
    {Field::bpreshuffle, [](const Row& row) { return boolean(row.problem.packed); },
     [](Row& row, Text text) { return assign(row.problem.packed, parse_bool(text)); }},
    {Field::layout, [](const Row& row) { return layout_text(row.problem); },
     [](Row& row, Text text) { return set_layout(row.problem, text); }},
    {Field::epilogue, [](const Row& row) { return epilogue_text(row.problem); },
     [](Row& row, Text text) { return set_epilogue(row.problem, text); }},
    {Field::problem, [](const Row& row) { return to_string(row.problem); },
     [](Row& row, Text text) { return set_problem(row.problem, text); }},
    {Field::libtype, [](const Row& row) { return row.libtype; },
     [](Row& row, Text text) { return assign(row.libtype, std::optional(std::string(text))); }},
    {Field::kernel_id, [](const Row& row) { return integer(row.kernel_id); },
     [](Row& row, Text text) { return assign(row.kernel_id, parse_int(text)); }},
    {Field::split_k, [](const Row& row) { return integer(row.split_k); },
     [](Row& row, Text text) { return assign(row.split_k, parse_int(text)); }},
    {Field::time_us, [](const Row& row) { return rounded(row.time_us, 4); },
     [](Row& row, Text text) { return assign(row.time_us, parse_double(text)); }},
    {Field::kernel_name, [](const Row& row) { return row.kernel_name; },
     [](Row& row, Text text) { return assign(row.kernel_name, std::optional(std::string(text))); }},
    {Field::tflops, [](const Row& row) { return rounded(tflops(row.problem, row.time_us), 2); }, derived},
    {Field::bandwidth, [](const Row& row) { return rounded(bandwidth_gbps(row.problem, row.time_us), 2); }, derived},
    {Field::err_ratio, [](const Row& row) { return rounded(row.err_ratio, 4); },
     [](Row& row, Text text) { return assign(row.err_ratio, parse_double(text)); }},
    {Field::us_low, [](const Row& row) { return measured(row, row.origin.low_us); },
     [](Row& row, Text text) { return assign(row.origin.low_us, parse_double(text)); }},
    {Field::us_high, [](const Row& row) { return measured(row, row.origin.high_us); },
     [](Row& row, Text text) { return assign(row.origin.high_us, parse_double(text)); }},
    {Field::dispersion, [](const Row& row) { return measured(row, row.origin.dispersion); },
     [](Row& row, Text text) { return assign(row.origin.dispersion, parse_double(text)); }},
    {Field::samples,
     [](const Row& row) { return row.origin.samples == 0 ? std::string() : integer(row.origin.samples); },
     [](Row& row, Text text) { return assign(row.origin.samples, parse_int(text)); }},
    {Field::library, [](const Row& row) { return row.origin.library; },
     [](Row& row, Text text) { return assign(row.origin.library, std::optional(std::string(text))); }},
    {Field::device_name, [](const Row& row) { return row.origin.device_name; },
     [](Row& row, Text text) { return assign(row.origin.device_name, std::optional(std::string(text))); }},
    {Field::driver, [](const Row& row) { return row.origin.driver; },
     [](Row& row, Text text) { return assign(row.origin.driver, std::optional(std::string(text))); }},
    {Field::policy, [](const Row& row) { return row.origin.policy; },
     [](Row& row, Text text) { return assign(row.origin.policy, std::optional(std::string(text))); }},
    {Field::date, [](const Row& row) { return row.origin.date; },
     [](Row& row, Text text) { return assign(row.origin.date, std::optional(std::string(text))); }},
}};

constexpr bool in_order_of_fields() {
  for (std::size_t i = 0; i < rules.size(); ++i)
    if (rules[i].field != static_cast<Field>(i)) return false;
  return rules.size() == static_cast<std::size_t>(Field::unknown);
}
static_assert(in_order_of_fields());

Field field_named(std::string_view name) {
  const auto known = find_known_column(name);
  return known ? known_columns()[*known].field : Field::unknown;
}

}  // namespace

bool is_key(Field field) { return field <= Field::problem; }

std::vector<Column> columns_from_header(const std::vector<std::string>& names) {
  std::vector<Column> columns;
  for (const auto& name : names) columns.push_back({name, field_named(name)});
  return columns;
}

std::vector<Column> default_columns(Format format, Schema schema) {
  return columns_from_header(
      schema_columns(*find_family(to_string(format)), is_aiter(format) ? schema : Schema::gemmtune));
}

std::string header_text(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const auto& column : columns) names.push_back(column.name);
  return csv_line(names);
}

std::string cell_text(Field field, const TunedRow& row) {
  return field == Field::unknown ? std::string() : rules[static_cast<std::size_t>(field)].write(row);
}

bool parse_cell(Field field, std::string_view text, TunedRow& row) {
  return field == Field::unknown || rules[static_cast<std::size_t>(field)].read(row, text);
}

std::string key_text(const std::vector<Column>& columns, const TunedRow& row) {
  std::string key;
  for (const auto& column : columns)
    if (is_key(column.field)) key += cell_text(column.field, row) + ',';
  return key;
}

bool states_problems(const std::vector<Column>& columns) {
  return std::ranges::find(columns, Field::problem, &Column::field) != columns.end();
}

std::vector<Column> columns_for_any_format() {
  return columns_from_header(schema_columns(*find_family("any_gemm"), Schema::gemmtune));
}

}  // namespace gemmtune
