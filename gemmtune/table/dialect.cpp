#include "gemmtune/table/dialect.h"

#include <fmt/format.h>

#include <array>

#include "gemmtune/core/csv.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

std::string integer(std::int64_t value) { return std::to_string(value); }
std::string boolean(bool value) { return value ? "True" : "False"; }
std::string type_text(DType type) { return std::string(torch_name(type)); }

/// Python's round(), printed by Python's repr().
std::string rounded(double value, int decimals) {
  return shortest(parse_double(fmt::format("{:.{}f}", value, decimals)).value_or(value));
}

template <typename T, typename Value>
bool assign(T& target, const std::optional<Value>& value) {
  if (value) target = *value;
  return value.has_value();
}

bool set_inputs(Problem& problem, std::string_view text) {
  if (!assign(problem.w.type, parse_dtype(text))) return false;
  problem.a.type = problem.w.type;
  return true;
}

bool set_tensor_scales(Problem& problem, std::string_view text) {
  const auto scaled = parse_bool(text);
  if (scaled) problem.a.scaling = problem.w.scaling = *scaled ? Scaling::tensor : Scaling::none;
  return scaled.has_value();
}

bool derived(TunedRow&, std::string_view) { return true; }

/// How a field is spelled, written and read.
struct Rule {
  Field field;
  std::string_view name;
  std::string_view alias;
  std::string (*write)(const TunedRow&);
  bool (*read)(TunedRow&, std::string_view);
};

using Row = TunedRow;
using Text = std::string_view;

constexpr std::array<Rule, 20> rules{{
    {Field::gfx, "gfx", "", [](const Row& row) { return row.gfx; },
     [](Row& row, Text text) { return assign(row.gfx, std::optional(std::string(text))); }},
    {Field::cu_num, "cu_num", "", [](const Row& row) { return integer(row.cu_num); },
     [](Row& row, Text text) { return assign(row.cu_num, parse_int(text)); }},
    {Field::batch, "B", "", [](const Row& row) { return integer(row.problem.batch); },
     [](Row& row, Text text) { return assign(row.problem.batch, parse_int(text)); }},
    {Field::m, "M", "", [](const Row& row) { return integer(row.problem.m); },
     [](Row& row, Text text) { return assign(row.problem.m, parse_int(text)); }},
    {Field::n, "N", "", [](const Row& row) { return integer(row.problem.n); },
     [](Row& row, Text text) { return assign(row.problem.n, parse_int(text)); }},
    {Field::k, "K", "", [](const Row& row) { return integer(row.problem.k); },
     [](Row& row, Text text) { return assign(row.problem.k, parse_int(text)); }},
    {Field::q_dtype_w, "q_dtype_w", "", [](const Row& row) { return type_text(row.problem.w.type); },
     [](Row& row, Text text) { return set_inputs(row.problem, text); }},
    {Field::bias, "bias", "", [](const Row& row) { return boolean(row.problem.bias); },
     [](Row& row, Text text) { return assign(row.problem.bias, parse_bool(text)); }},
    {Field::dtype, "dtype", "", [](const Row& row) { return type_text(row.problem.a.type); },
     [](Row& row, Text text) { return set_inputs(row.problem, text); }},
    {Field::outdtype, "outdtype", "", [](const Row& row) { return type_text(row.problem.out); },
     [](Row& row, Text text) { return assign(row.problem.out, parse_dtype(text)); }},
    {Field::scale_ab, "scaleAB", "", [](const Row& row) { return boolean(row.problem.a.scaling != Scaling::none); },
     [](Row& row, Text text) { return set_tensor_scales(row.problem, text); }},
    {Field::bpreshuffle, "bpreshuffle", "", [](const Row& row) { return boolean(row.problem.packed); },
     [](Row& row, Text text) { return assign(row.problem.packed, parse_bool(text)); }},
    {Field::libtype, "libtype", "", [](const Row& row) { return row.libtype; },
     [](Row& row, Text text) { return assign(row.libtype, std::optional(std::string(text))); }},
    {Field::kernel_id, "kernelId", "solidx", [](const Row& row) { return integer(row.kernel_id); },
     [](Row& row, Text text) { return assign(row.kernel_id, parse_int(text)); }},
    {Field::split_k, "splitK", "", [](const Row& row) { return integer(row.split_k); },
     [](Row& row, Text text) { return assign(row.split_k, parse_int(text)); }},
    {Field::time_us, "us", "", [](const Row& row) { return rounded(row.time_us, 4); },
     [](Row& row, Text text) { return assign(row.time_us, parse_double(text)); }},
    {Field::kernel_name, "kernelName", "", [](const Row& row) { return row.kernel_name; },
     [](Row& row, Text text) { return assign(row.kernel_name, std::optional(std::string(text))); }},
    {Field::tflops, "tflops", "", [](const Row& row) { return rounded(tflops(row.problem, row.time_us), 2); }, derived},
    {Field::bandwidth, "bw", "", [](const Row& row) { return rounded(bandwidth_gbps(row.problem, row.time_us), 2); },
     derived},
    {Field::err_ratio, "errRatio", "err_ratio", [](const Row& row) { return rounded(row.err_ratio, 4); },
     [](Row& row, Text text) { return assign(row.err_ratio, parse_double(text)); }},
}};

constexpr bool in_order_of_fields() {
  for (std::size_t i = 0; i < rules.size(); ++i)
    if (rules[i].field != static_cast<Field>(i)) return false;
  return rules.size() == static_cast<std::size_t>(Field::unknown);
}
static_assert(in_order_of_fields());

Field field_named(std::string_view name) {
  for (const auto& rule : rules)
    if (equals_ignoring_case(rule.name, name) || (!name.empty() && equals_ignoring_case(rule.alias, name)))
      return rule.field;
  return Field::unknown;
}

std::string_view default_header(Format format) {
  switch (format) {
    case Format::a16w16:
      return "cu_num,M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle,"
             "libtype,solidx,splitK,us,kernelName,err_ratio,tflops,bw";
    case Format::a8w8:
      return "cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName,tflops,bw,errRatio";
    case Format::a8w8_blockscale:
      return "cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio";
    case Format::a8w8_bpreshuffle:
      return "cu_num,M,N,K,q_dtype_w,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio";
    case Format::a4w4:
      return "cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio";
    case Format::batched_a16w16:
    case Format::batched_a8w8:
      return "cu_num,B,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio";
  }
  return {};
}

}  // namespace

bool is_key(Field field) { return field <= Field::bpreshuffle; }

std::vector<Column> columns_from_header(const std::vector<std::string>& names) {
  std::vector<Column> columns;
  for (const auto& name : names) columns.push_back({name, field_named(name)});
  return columns;
}

std::vector<Column> default_columns(Format format) {
  std::vector<std::string> names;
  for (const auto name : split(default_header(format), ',')) names.emplace_back(name);
  return columns_from_header(names);
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

}  // namespace gemmtune
