#include "gemmtune/shapes/shape_list.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <variant>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/gemm/format.h"

namespace gemmtune {
namespace {

constexpr double largest_exact = 9007199254740992.0;  // 2^53

/// Parses a whole number above 0. Also accepts "128.0", as pandas writes whole numbers in a column that had a gap.
std::optional<std::int64_t> parse_size(std::string_view text) {
  const auto number = parse_double(text);
  if (!number || !(*number >= 1) || *number > largest_exact || *number != std::floor(*number)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

/// What a cell should have contained, or "" if it was right.
using Expected = std::string;

Expected set_size(std::int64_t& size, std::string_view text) {
  const auto value = parse_size(text);
  if (!value) return "a whole number above 0";
  size = *value;
  return {};
}

Expected set_flag(bool& flag, std::string_view text) {
  const auto value = parse_bool(text);
  if (!value) return "True or False";
  flag = *value;
  return {};
}

Expected set_type(DType& type, std::string_view text) {
  const auto value = parse_dtype(text);
  if (!value) return "a type, as torch.bfloat16";
  type = *value;
  return {};
}

Expected set_inputs(Problem& problem, std::string_view text) {
  DType type{};
  auto why = set_type(type, text);
  if (why.empty()) set_input_types(problem, type);
  return why;
}

/// AITER's a8w8 tables name the type of the weights, which is also the type of the activations. Formats of other widths
/// have no such column.
Expected set_quantised(Problem& problem, std::string_view text) {
  const auto width = bits(problem.w.type);
  if (auto why = set_inputs(problem, text); !why.empty()) return why;
  return bits(problem.w.type) == width ? Expected{} : fmt::format("a type of {} bits, which this format has", width);
}

/// AITER's scaleAB: one scale for each whole operand. Formats with finer scales keep theirs.
Expected set_tensor_scales(Problem& problem, std::string_view text) {
  bool scaled{};
  if (auto why = set_flag(scaled, text); !why.empty() || !scaled) return why;
  if (bits(problem.w.type) != 8) return "False: tensor scales are for 8-bit types";
  problem.a.scaling = problem.w.scaling = Scaling::tensor;
  return {};
}

Expected set_weight(double& weight, std::string_view text) {
  const auto value = parse_double(text);
  if (!value || !(*value > 0) || !std::isfinite(*value)) return "a number above 0";
  weight = *value;
  return {};
}

struct ColumnRule {
  std::string_view name;
  bool required;
  Expected (*apply)(Shape&, std::string_view);
};

Expected set_problem(Problem& problem, std::string_view text) {
  try {
    problem = parse_problem(text);
    return {};
  } catch (const Error& error) {
    return fmt::format("a problem: {}", error.what());
  }
}

/// The rules in the order in which they are applied: the other columns must agree with the problem, and scaleAB depends
/// on the type.
constexpr std::array<ColumnRule, 14> rules{{
    {"problem", false, [](Shape& shape, std::string_view text) { return set_problem(shape.problem, text); }},
    {"M", true, [](Shape& shape, std::string_view text) { return set_size(shape.problem.m, text); }},
    {"N", true, [](Shape& shape, std::string_view text) { return set_size(shape.problem.n, text); }},
    {"K", true, [](Shape& shape, std::string_view text) { return set_size(shape.problem.k, text); }},
    {"B", false, [](Shape& shape, std::string_view text) { return set_size(shape.problem.batch, text); }},
    {"dtype", false, [](Shape& shape, std::string_view text) { return set_inputs(shape.problem, text); }},
    {"q_dtype_w", false, [](Shape& shape, std::string_view text) { return set_quantised(shape.problem, text); }},
    {"outdtype", false, [](Shape& shape, std::string_view text) { return set_type(shape.problem.out, text); }},
    {"scaleAB", false, [](Shape& shape, std::string_view text) { return set_tensor_scales(shape.problem, text); }},
    {"bias", false, [](Shape& shape, std::string_view text) { return set_flag(shape.problem.epilogue.bias, text); }},
    {"bpreshuffle", false, [](Shape& shape, std::string_view text) { return set_flag(shape.problem.packed, text); }},
    {"weight", false, [](Shape& shape, std::string_view text) { return set_weight(shape.weight, text); }},
    {"calls", false, [](Shape& shape, std::string_view text) { return set_weight(shape.weight, text); }},
    {"layer", false,
     [](Shape& shape, std::string_view text) {
       shape.layer = text;
       return Expected{};
     }},
}};

/// A rule, and the index of its column in this file.
struct PlacedRule {
  const ColumnRule* rule{};
  std::optional<std::size_t> column{};
};

/// Joins names of layers, each once. A list of layers may be joined with a part of itself.
std::string joined_layers(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  const auto known = split(a, '+');
  auto joined = a;
  for (const auto layer : split(b, '+'))
    if (std::ranges::find(known, layer) == known.end()) joined += fmt::format("+{}", layer);
  return joined;
}

class ShapeReader {
 public:
  ShapeReader(const CsvDocument& document, const Problem& defaults)
      : document_(document), defaults_(defaults), problem_column_(document.column("problem")) {
    for (const auto& rule : rules) place(rule);
  }

  ShapeList read() const {
    ShapeList list{.ignored_columns = ignored_columns()};
    std::map<Problem, std::size_t> seen;
    for (const auto& row : document_.rows) {
      auto line = read_row(row);
      if (auto* rejected = std::get_if<RejectedLine>(&line)) {
        list.rejected.push_back(std::move(*rejected));
        continue;
      }
      auto& shape = std::get<Shape>(line);
      const auto [first, is_new] = seen.try_emplace(shape.problem, list.shapes.size());
      if (is_new)
        list.shapes.push_back(std::move(shape));
      else
        add_shape(list.shapes[first->second], shape);
    }
    return list;
  }

 private:
  void place(const ColumnRule& rule) {
    const auto column = document_.column(rule.name);
    if (column) placed_.push_back({&rule, column});
    if (!column && rule.required && !problem_column_)
      fail(ErrorCode::input, "{}:1:1: found columns {}, expected M, N and K among them", document_.source,
           join(document_.header, ","));
  }

  std::variant<Shape, RejectedLine> read_row(const CsvRow& row) const {
    Shape shape{.problem = defaults_, .where = fmt::format("{}:{}", document_.source, row.line)};
    for (const auto& [rule, column] : placed_) {
      const auto text = document_.text(row, column);
      if (text.empty() && (!rule->required || says_problem(row))) continue;
      if (const auto expected = rule->apply(shape, text); !expected.empty())
        return RejectedLine{document_.where(row, column),
                            fmt::format("{}: found '{}', expected {}", rule->name, text, expected)};
    }
    if (const auto extra = first_cell_beyond_header(row))
      return RejectedLine{
          document_.where(row, extra),
          fmt::format("found '{}' beyond the last column, {}", document_.text(row, extra), document_.header.back())};
    if (const auto why = why_invalid(shape.problem); !why.empty()) return RejectedLine{document_.where(row, 0), why};
    if (says_problem(row) && parse_problem(document_.text(row, problem_column_)) != shape.problem)
      return RejectedLine{document_.where(row, problem_column_),
                          fmt::format("problem: found '{}', but the other columns say {}",
                                      document_.text(row, problem_column_), to_string(shape.problem))};
    return shape;
  }

  bool says_problem(const CsvRow& row) const { return !document_.text(row, problem_column_).empty(); }

  std::optional<std::size_t> first_cell_beyond_header(const CsvRow& row) const {
    for (auto i = document_.header.size(); i < row.cells.size(); ++i)
      if (!row.cells[i].text.empty()) return i;
    return std::nullopt;
  }

  std::vector<std::string> ignored_columns() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < document_.header.size(); ++i)
      if (!is_placed(i) && !document_.header[i].empty()) names.push_back(document_.header[i]);
    return names;
  }

  bool is_placed(std::size_t column) const {
    for (const auto& placed : placed_)
      if (placed.column == column) return true;
    return false;
  }

  const CsvDocument& document_;
  const Problem& defaults_;
  std::optional<std::size_t> problem_column_;
  std::vector<PlacedRule> placed_;
};

}  // namespace

void add_shape(Shape& first, const Shape& again) {
  first.weight += again.weight;
  first.layer = joined_layers(first.layer, again.layer);
}

ShapeList read_shapes(const CsvDocument& document, const Problem& defaults) {
  insist_on_header(document);
  return ShapeReader(document, defaults).read();
}

ShapeList read_shapes(const std::filesystem::path& path, const Problem& defaults) {
  return read_shapes(read_csv(path), defaults);
}

}  // namespace gemmtune
