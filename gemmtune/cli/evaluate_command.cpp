#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>

#include "gemmtune/cli/command.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/evaluate/local_evaluator.h"
#include "gemmtune/families/registry.h"

namespace gemmtune {
namespace {

EvaluationPolicy policy_of(Stage stage) {
  switch (stage) {
    case Stage::screen:
      return screen_policy();
    case Stage::confirm:
      return confirm_policy();
    case Stage::prove:
      return prove_policy();
  }
  return screen_policy();
}

std::string timing_text(const Timing& timing) {
  return fmt::format("time        {:.3f} us, median of {} samples (95 % from {:.3f} to {:.3f}, least {:.3f})\n",
                     timing.median_us, timing.sample_count, timing.low_us, timing.high_us, timing.min_us) +
         fmt::format("packing     {:.3f} us once, {} bytes; workspace {} bytes\n", timing.pack_us, timing.packed_bytes,
                     timing.workspace_bytes);
}

std::string accuracy_text(const Accuracy& accuracy) {
  return fmt::format(
      "accuracy    error ratio {:.4g}, worst element {:.4g} ({:.2g} of its bound), {} elements checked\n",
      accuracy.err_ratio, accuracy.worst_error, accuracy.worst_share_of_bound, accuracy.checked);
}

std::string description(const Problem& problem, const Evaluation& evaluation) {
  auto text = fmt::format("{}\n{} of {}\n", to_string(problem), evaluation.candidate.name, evaluation.candidate.family);
  text += fmt::format("{:<11} {}{}\n", to_string(evaluation.stage), to_string(evaluation.outcome),
                      evaluation.reason.empty() ? "" : ": " + evaluation.reason);
  if (evaluation.timing.sample_count > 0)
    text += timing_text(evaluation.timing) +
            fmt::format("rate        {:.4f} TFLOPS\n", tflops(problem, evaluation.timing.median_us));
  if (evaluation.accuracy.checked > 0) text += accuracy_text(evaluation.accuracy);
  return text;
}

class Keeper final : public EvaluationObserver {
 public:
  void started(const Candidate&) override {}
  void evaluated(const Evaluation& evaluation) override { kept_ = evaluation; }

  const Evaluation& kept() const {
    if (!kept_) fail(ErrorCode::internal, "the evaluator reported nothing");
    return *kept_;
  }

 private:
  std::optional<Evaluation> kept_;
};

class EvaluateCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("--problem", problem_)->required();
    app.add_option("--candidate", candidate_)->required();
    app.add_option("--family", family_);
    app.add_option("--stage", stage_);
    app.add_option("--seed", seed_);
    app.add_option("--device", device_);
  }

  int run() override {
    const auto problem = parse_problem(problem_);
    const auto stage = parse_stage(stage_);
    if (!stage) fail(ErrorCode::usage, "--stage: found '{}', expected screen, confirm or prove", stage_);
    auto policy = policy_of(*stage);
    policy.seed = seed_;
    LocalEvaluator evaluator(open_device(device_), make_families());
    const auto candidate = named_candidate(evaluator, problem);
    Keeper keeper;
    evaluator.evaluate(problem, {&candidate, 1}, policy, keeper);
    fmt::print("{}", description(problem, keeper.kept()));
    return keeper.kept().outcome == Outcome::ok ? 0 : 1;
  }

 private:
  /// One of the candidates for the problem or, since names say everything, one that is not listed for it any more.
  Candidate named_candidate(Evaluator& evaluator, const Problem& problem) const {
    for (auto& candidate : evaluator.candidates(problem))
      if (candidate.name == candidate_ && (family_.empty() || candidate.family == family_)) return candidate;
    return {.family = family_.empty() ? family_of_name() : family_, .name = candidate_};
  }

  std::string family_of_name() const {
    std::vector<std::string> names;
    for (const auto& family : make_families()) {
      names.emplace_back(family->name());
      if (candidate_.starts_with(family->name())) return names.back();
    }
    fail(ErrorCode::usage, "--candidate: found '{}', expected a name that starts with a family's: {}", candidate_,
         join(names, ", "));
  }

  std::string problem_;
  std::string candidate_;
  std::string family_;
  std::string stage_{"confirm"};
  std::string device_{"cpu"};
  std::uint64_t seed_{0};
};

}  // namespace

std::unique_ptr<Command> make_evaluate_command() { return std::make_unique<EvaluateCommand>(); }

}  // namespace gemmtune
