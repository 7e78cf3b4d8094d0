#include "gemmtune/replay/score.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gemmtune/measure/statistics.h"

namespace gemmtune {
namespace {

using Runs = std::vector<const SearchRun*>;

template <typename Value>
double sum(const Runs& runs, const Value& value) {
  double total = 0;
  for (const auto* run : runs) total += static_cast<double>(value(*run));
  return total;
}

void add_regrets(SearchScore& score, const Runs& runs) {
  std::vector<double> regrets;
  for (const auto* run : runs)
    if (!run->winner.empty()) regrets.push_back(run->regret);
  score.without_winner = static_cast<std::int64_t>(runs.size() - regrets.size());
  if (regrets.empty()) return;
  score.mean_regret = sum(runs, [](const SearchRun& run) { return run.winner.empty() ? 0 : run.regret; }) /
                      static_cast<double>(regrets.size());
  score.p95_regret = quantile(regrets, 0.95).value_or(0);
  score.worst_regret = std::ranges::max(regrets);
}

void add_claims(SearchScore& score, const Runs& runs) {
  Runs claiming;
  std::ranges::copy_if(runs, std::back_inserter(claiming), [](const SearchRun* run) { return run->claim.has_value(); });
  if (claiming.empty()) return;
  const auto count = static_cast<double>(claiming.size());
  score.stated_regret = sum(claiming, [](const SearchRun& run) { return run.claim->regret; }) / count;
  score.held = sum(claiming, [](const SearchRun& run) { return run.regret <= run.claim->regret ? 1 : 0; }) / count;
}

SearchScore score_of(const std::string& search, const Runs& runs, std::int64_t repeats) {
  SearchScore score{.search = search, .runs = static_cast<std::int64_t>(runs.size())};
  const auto times = static_cast<double>(repeats);
  score.device_s = sum(runs, [](const SearchRun& run) { return run.device_s; }) / times;
  score.overhead_s = sum(runs, [](const SearchRun& run) { return run.overhead_s; }) / times;
  const double candidates = sum(runs, [](const SearchRun& run) { return run.candidates; });
  if (candidates > 0) score.looked_at = sum(runs, [](const SearchRun& run) { return run.looked_at; }) / candidates;
  add_regrets(score, runs);
  add_claims(score, runs);
  return score;
}

std::vector<SearchScore> scores_of(const ReplayOptions& options, const std::vector<const ReplayedShape*>& shapes) {
  std::vector<SearchScore> all;
  for (std::size_t i = 0; i < options.searches.size(); ++i) {
    Runs runs;
    for (const auto* shape : shapes)
      for (const auto& run : shape->runs[i]) runs.push_back(&run);
    all.push_back(score_of(options.searches[i], runs, options.repeats));
  }
  return all;
}

nlohmann::json to_json(const SearchScore& score) {
  nlohmann::json json{{"search", score.search},
                      {"runs", score.runs},
                      {"without_winner", score.without_winner},
                      {"mean_regret", score.mean_regret},
                      {"p95_regret", score.p95_regret},
                      {"worst_regret", score.worst_regret},
                      {"device_s", score.device_s},
                      {"overhead_s", score.overhead_s},
                      {"looked_at", score.looked_at}};
  if (score.stated_regret) json["stated_regret"] = *score.stated_regret;
  if (score.held) json["held"] = *score.held;
  return json;
}

nlohmann::json to_json(const std::vector<SearchScore>& all) {
  auto json = nlohmann::json::array();
  for (const auto& score : all) json.push_back(to_json(score));
  return json;
}

}  // namespace

std::vector<SearchScore> scores(const Replay& replay) {
  std::vector<const ReplayedShape*> shapes;
  for (const auto& shape : replay.shapes) shapes.push_back(&shape);
  return scores_of(replay.options, shapes);
}

std::vector<SearchScore> scores(const Replay& replay, const ReplayedShape& shape) {
  return scores_of(replay.options, {&shape});
}

nlohmann::json replay_json(const Replay& replay) {
  auto shapes = nlohmann::json::array();
  for (const auto& shape : replay.shapes)
    shapes.push_back({{"problem", to_string(shape.recorded.problem)},
                      {"device", shape.recorded.device},
                      {"candidates", shape.recorded.candidates.size()},
                      {"best_us", shape.best_us},
                      {"searches", to_json(scores(replay, shape))}});
  return {{"repeats", replay.options.repeats},
          {"seed", replay.options.seed},
          {"searches", to_json(scores(replay))},
          {"shapes", std::move(shapes)}};
}

}  // namespace gemmtune
