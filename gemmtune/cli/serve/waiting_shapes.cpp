#include "gemmtune/cli/serve/waiting_shapes.h"

#include <set>

#include "gemmtune/shapes/capture_shapes.h"

namespace gemmtune {
namespace {

bool is_of(const CapturedProblem& row, const TunedDevice& device) {
  return row.gfx == device.gfx && row.cu_num == device.cu_num;
}

/// Takes the outdated rows out of the table, and returns their problems.
std::set<Problem> take_outdated(TunedTable& table, const std::function<bool(const TunedRow&)>& is_outdated) {
  std::set<Problem> problems;
  std::erase_if(table.rows, [&](const TunedRow& row) {
    const bool outdated = is_outdated(row);
    if (outdated) problems.insert(row.problem);
    return outdated;
  });
  return problems;
}

}  // namespace

std::vector<Shape> waiting_shapes(std::span<const CapturedProblem> captured, const PublishedRows& published,
                                  const TunedDevice& device) {
  auto table = published.table;
  const auto outdated = take_outdated(table, published.is_outdated);
  TunedTimes times;
  times.add(std::move(table));
  std::vector<CapturedProblem> own;
  for (const auto& row : captured) {
    const bool is_served = row.match == MatchKind::exact && !outdated.contains(row.problem);
    if (is_of(row, device) && !is_served) own.push_back(row);
  }
  return capture_shapes(own, times).shapes;
}

bool Attempts::is_given_up(const Problem& problem) const {
  const auto found = failures_.find(problem);
  return found != failures_.end() && found->second >= most;
}

}  // namespace gemmtune
