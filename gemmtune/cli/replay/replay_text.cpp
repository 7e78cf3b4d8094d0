#include "gemmtune/cli/replay/replay_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "gemmtune/cli/text_grid.h"

namespace gemmtune {
namespace {

std::string percent(double share) { return fmt::format("{:.2f} %", 100 * share); }
std::string percent(std::optional<double> share) { return share ? percent(*share) : "-"; }

std::string share_of(double part, const SearchScore* whole) {
  return whole == nullptr || whole->device_s <= 0 ? "-" : fmt::format("{:.1f} %", 100 * part / whole->device_s);
}

std::vector<std::string> row_of(const SearchScore& score, const SearchScore* exhaustive) {
  return {score.search,
          percent(score.mean_regret),
          percent(score.p95_regret),
          percent(score.worst_regret),
          fmt::format("{:.3f}", score.device_s),
          share_of(score.device_s, exhaustive),
          fmt::format("{:.3f}", score.overhead_s),
          fmt::format("{:.0f} %", 100 * score.looked_at),
          percent(score.stated_regret),
          score.held ? fmt::format("{:.0f} %", 100 * *score.held) : "-",
          fmt::to_string(score.without_winner)};
}

std::string grid_of(const std::vector<SearchScore>& scores) {
  const auto at = std::ranges::find(scores, "exhaustive", &SearchScore::search);
  const auto* exhaustive = at == scores.end() ? nullptr : &*at;
  std::vector<std::vector<std::string>> rows{{"search", "regret", "P95", "worst", "device s", "of exhaustive",
                                              "overhead s", "looked at", "stated", "held", "no winner"}};
  for (const auto& score : scores) rows.push_back(row_of(score, exhaustive));
  std::vector<Align> alignment(rows.front().size(), Align::right);
  alignment.front() = Align::left;
  return text_grid(rows, alignment);
}

std::string shape_text(const Replay& replay, const ReplayedShape& shape) {
  return fmt::format("{} on {}: {} candidates, the best {:.2f} us\n{}\n", to_string(shape.recorded.problem),
                     shape.recorded.device, shape.recorded.candidates.size(), shape.best_us,
                     grid_of(scores(replay, shape)));
}

}  // namespace

std::string replay_text(const Replay& replay, ReplayDetail detail) {
  std::string text;
  if (detail == ReplayDetail::shapes)
    for (const auto& shape : replay.shapes) text += shape_text(replay, shape);
  std::size_t candidates = 0;
  for (const auto& shape : replay.shapes) candidates += shape.recorded.candidates.size();
  text +=
      fmt::format("{} shapes, {} candidates, {} repeats\n", replay.shapes.size(), candidates, replay.options.repeats);
  return text + grid_of(scores(replay));
}

}  // namespace gemmtune
