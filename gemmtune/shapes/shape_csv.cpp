#include "gemmtune/shapes/shape_csv.h"

#include <algorithm>

#include "gemmtune/core/text.h"
#include "gemmtune/gemm/format.h"
#include "gemmtune/table/tuned_table.h"

namespace gemmtune {
namespace {

/// Writes 32 and not 32.0, because most weights are counts.
std::string weight_text(double weight) {
  auto text = shortest(weight);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

}  // namespace

std::string shape_list_text(const std::vector<Shape>& shapes) {
  const bool layers = std::ranges::any_of(shapes, [](const Shape& shape) { return !shape.layer.empty(); });
  std::string text = layers ? "M,N,K,problem,weight,layer\n" : "M,N,K,problem,weight\n";
  for (const auto& shape : shapes) {
    const auto& problem = shape.problem;
    std::vector<std::string> cells{std::to_string(problem.m), std::to_string(problem.n), std::to_string(problem.k),
                                   to_string(problem), weight_text(shape.weight)};
    if (layers) cells.push_back(shape.layer);
    text += csv_line(cells) + '\n';
  }
  return text;
}

AiterList aiter_list(const std::vector<Shape>& shapes, Format format) {
  auto table = empty_table(format, Schema::seed);
  std::erase_if(table.columns,
                [](const Column& column) { return !is_key(column.field) || column.field == Field::cu_num; });
  AiterList list{.text = header_text(table.columns) + '\n'};
  for (const auto& shape : shapes) {
    if (as_read_back(table, shape.problem) != shape.problem) {
      list.left_out.push_back(shape);
      continue;
    }
    std::vector<std::string> cells;
    for (const auto& column : table.columns) cells.push_back(cell_text(column.field, {.problem = shape.problem}));
    list.text += csv_line(cells) + '\n';
  }
  return list;
}

std::vector<Shape> without_duplicates(const std::vector<Shape>& shapes) {
  std::vector<Shape> unique;
  std::map<Problem, std::size_t> seen;
  for (const auto& shape : shapes) {
    const auto [first, is_new] = seen.try_emplace(shape.problem, unique.size());
    if (is_new)
      unique.push_back(shape);
    else
      add_shape(unique[first->second], shape);
  }
  return unique;
}

std::map<std::string, std::vector<Shape>> by_format(const std::vector<Shape>& shapes) {
  std::map<std::string, std::vector<Shape>> groups;
  for (const auto& shape : shapes) {
    const auto format = format_of(shape.problem);
    groups[format ? std::string(to_string(*format)) : "other"].push_back(shape);
  }
  return groups;
}

std::filesystem::path path_for_format(const std::filesystem::path& path, std::string_view format) {
  auto named = path.stem();
  named += "_";
  named += format;
  named += path.has_extension() ? path.extension() : std::filesystem::path(".csv");
  return path.parent_path() / named;
}

}  // namespace gemmtune
