#include "gemmtune/shapes/split_list.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "gemmtune/shapes/shape_list.h"
#include "gemmtune/shapes/tuning_cost.h"

namespace gemmtune {
namespace {

double cost_of(CsvDocument one_line, const Problem& defaults) {
  const auto list = read_shapes(one_line, defaults);
  return list.shapes.empty() ? 0 : rough_tuning_seconds(list.shapes.front().problem);
}

std::vector<double> costs_of(const CsvDocument& list, const Problem& defaults) {
  std::vector<double> costs;
  for (const auto& row : list.rows)
    costs.push_back(cost_of({.source = list.source, .header = list.header, .rows = {row}}, defaults));
  return costs;
}

}  // namespace

std::vector<std::size_t> balanced_parts(std::span<const double> costs, std::size_t parts) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return costs[a] > costs[b]; });
  using Load = std::pair<double, std::size_t>;
  std::priority_queue<Load, std::vector<Load>, std::greater<>> lightest_first;
  for (std::size_t part = 0; part < parts; ++part) lightest_first.emplace(0, part);
  std::vector<std::size_t> chosen(costs.size());
  for (const auto item : order) {
    const auto [load, part] = lightest_first.top();
    lightest_first.pop();
    chosen[item] = part;
    lightest_first.emplace(load + costs[item], part);
  }
  return chosen;
}

std::vector<ListPart> split_list(const CsvDocument& list, const Problem& defaults, std::size_t parts) {
  std::vector<ListPart> made(parts, {.text = csv_line(list.header) + '\n'});
  const auto costs = costs_of(list, defaults);
  const auto chosen = balanced_parts(costs, parts);
  for (std::size_t i = 0; i < list.rows.size(); ++i) {
    auto& part = made[chosen[i]];
    part.text += list.rows[i].raw + '\n';
    part.tuning_seconds += costs[i];
    ++part.lines;
  }
  return made;
}

}  // namespace gemmtune
