#include "gemmtune/replay/replay.h"

#include <algorithm>
#include <set>

#include "gemmtune/core/text.h"
#include "gemmtune/replay/recorded_evaluator.h"
#include "gemmtune/replay/recorded_times.h"
#include "gemmtune/replay/tunable_op.h"
#include "gemmtune/tune/evidence.h"
#include "gemmtune/tune/shape_run.h"
#include "gemmtune/tune/verdict.h"

namespace gemmtune {
namespace {

constexpr std::string_view tunable_op_name = "tunableop";

/// Does what the tuner does for one shape, without its store.
class Player final : public EvaluationObserver {
 public:
  Player(const RecordedShape& shape, std::uint64_t seed) : shape_(shape), evaluator_(shape, seed) {}

  SearchRun run(std::string_view search, Neighbours& neighbours) {
    const auto candidates = evaluator_.candidates(shape_.problem);
    const auto strategy = make_strategy(search, candidates, neighbours.about(shape_.problem), plan_.regret);
    strategy_ = strategy.get();
    for (auto batch = strategy->ask(); !batch.empty(); batch = strategy->ask()) evaluate(batch);
    for (const auto& time : evidence_.times()) neighbours.add(shape_.problem, time);
    const auto result = with_verdict({}, evidence_.decisive(), candidates.front());
    if (result.winner) run_.winner = result.winner->candidate.name;
    run_.looked_at = static_cast<std::int64_t>(seen_.size());
    run_.claim = strategy->claim();
    return run_;
  }

  void started(const Candidate& /*candidate*/) override {}

  void evaluated(const Evaluation& evaluation) override {
    seen_.insert(evaluation.candidate);
    run_.device_s += evaluation.cost.kernel_s;
    run_.overhead_s += evaluation.cost.total() - evaluation.cost.kernel_s;
    evidence_.add(evaluation);
    strategy_->tell(evaluation);
  }

 private:
  void evaluate(const Batch& batch) {
    evidence_.begin(batch);
    const auto policy = policy_of(plan_, batch);
    const auto all = std::span(batch.candidates);
    const auto together = batch.stage == Stage::confirm ? all.size() : handed_over;
    for (std::size_t first = 0; first < all.size(); first += together)
      evaluator_.evaluate(shape_.problem, all.subspan(first, std::min(together, all.size() - first)), policy, *this);
  }

  const RecordedShape& shape_;
  RecordedEvaluator evaluator_;
  TunePlan plan_{};
  Strategy* strategy_{};
  Evidence evidence_{};
  std::set<Candidate> seen_{};
  SearchRun run_{};
};

}  // namespace

std::vector<std::string> replayable_searches() {
  auto names = strategy_names();
  names.emplace_back(tunable_op_name);
  return names;
}

SearchRun search_once(std::string_view search, const RecordedShape& shape, std::uint64_t seed, Neighbours& neighbours) {
  auto run = search == tunable_op_name ? tunable_op(shape, seed) : Player(shape, seed).run(search, neighbours);
  const auto time = true_time_us(shape, run.winner);
  const auto best = best_time_us(shape);
  run.candidates = static_cast<std::int64_t>(shape.candidates.size());
  if (time && best) run.regret = *time / *best - 1;
  return run;
}

// Shapes are searched in their order and learn from those before them. Each repeat starts without any knowledge.
Replay replay(const Recording& recording, const ReplayOptions& options) {
  Replay result{.options = options};
  for (const auto& recorded : recording) {
    ReplayedShape shape{.recorded = with_all_confirmed(recorded)};
    shape.best_us = best_time_us(shape.recorded).value_or(0);
    shape.runs.resize(options.searches.size());
    if (shape.best_us > 0) result.shapes.push_back(std::move(shape));
  }
  for (std::size_t search = 0; search < options.searches.size(); ++search)
    for (std::int64_t i = 0; i < options.repeats; ++i) {
      Neighbours neighbours;
      for (auto& shape : result.shapes) {
        const auto seed = hash64(to_string(shape.recorded.problem), options.seed + static_cast<std::uint64_t>(i));
        shape.runs[search].push_back(search_once(options.searches[search], shape.recorded, seed, neighbours));
      }
    }
  return result;
}

}  // namespace gemmtune
