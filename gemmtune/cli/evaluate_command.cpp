#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "gemmtune/cli/command.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/cli/worker/roster.h"
#include "gemmtune/cli/worker/worker_factory.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/device/device.h"
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
  auto text = fmt::format("{} of {}\n", evaluation.candidate.name, evaluation.candidate.family);
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
  void evaluated(const Evaluation& evaluation) override { kept_.push_back(evaluation); }

  /// The evaluation of this candidate. Calls need not be in the order of evaluation. Throws Error{internal} if the
  /// observer never received this candidate.
  const Evaluation& of(const Candidate& candidate) const {
    const auto found =
        std::find_if(kept_.begin(), kept_.end(), [&](const auto& e) { return e.candidate == candidate; });
    if (found == kept_.end()) fail(ErrorCode::internal, "the evaluator reported nothing of {}", candidate.name);
    return *found;
  }

 private:
  std::vector<Evaluation> kept_;
};

/// The speed-up over the first candidate, or "" if the candidate was not timed.
std::string ratio_text(const Evaluation& first, const Evaluation& evaluation) {
  if (first.timing.median_us <= 0 || evaluation.timing.median_us <= 0) return {};
  return fmt::format("speed       {:.3f} of the first's\n", first.timing.median_us / evaluation.timing.median_us);
}

class EvaluateCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("--problem", problem_).required();
    options.add_option("--candidate", names_).required();
    options.add_option("--family", family_);
    options.add_option("--stage", stage_);
    options.add_option("--seed", seed_);
    options.add_option("--device", device_);
    options.add_option("--worker", workers_).one_value_each();
    options.add_flag("--apart", apart_);
    options.add_flag("--memcheck", memcheck_);
  }

  int run() override {
    if (memcheck_) become_memcheck();
    const auto problem = parse_problem(problem_);
    const auto stage = parse_stage(stage_);
    if (!stage) fail(ErrorCode::usage, "--stage: found '{}', expected screen, confirm or prove", stage_);
    auto policy = policy_of(*stage);
    policy.seed = seed_;
    const auto evaluator = make_evaluator();
    std::vector<Candidate> candidates;
    for (const auto& name : names_) candidates.push_back(named_candidate(*evaluator, problem, name));
    Keeper keeper;
    evaluator->evaluate(problem, candidates, policy, keeper);
    for (const auto& remark : evaluator->remarks()) print_note("gemmtune: {}\n", remark);
    return print(problem, candidates, keeper);
  }

 private:
  /// This process runs compute-sanitizer from now on, which runs the same command.
  [[noreturn]] void become_memcheck() const {
    auto words = std::vector<std::string>{"compute-sanitizer", "--tool", "memcheck", "--error-exitcode", "1"};
    words.push_back(std::filesystem::read_symlink("/proc/self/exe").string());
    words.insert(words.end(), {"evaluate", "--problem", problem_, "--stage", stage_, "--seed", std::to_string(seed_)});
    for (const auto& name : names_) words.insert(words.end(), {"--candidate", name});
    if (!family_.empty()) words.insert(words.end(), {"--family", family_});
    if (!device_.empty()) words.insert(words.end(), {"--device", device_});
    for (const auto& worker : workers_) words.insert(words.end(), {"--worker", worker});
    if (apart_) words.emplace_back("--apart");
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execvp(arguments.front(), arguments.data());
    fail(ErrorCode::usage, "--memcheck: compute-sanitizer of NVIDIA's CUDA toolkit cannot be started: {}",
         std::generic_category().message(errno));
  }

  static int print(const Problem& problem, const std::vector<Candidate>& candidates, const Keeper& keeper) {
    print_text("{}\n", to_string(problem));
    bool all_right = true;
    for (const auto& candidate : candidates) {
      const auto& evaluation = keeper.of(candidate);
      print_text("{}", description(problem, evaluation));
      if (candidates.size() > 1) print_text("{}", ratio_text(keeper.of(candidates.front()), evaluation));
      all_right = all_right && evaluation.outcome == Outcome::ok;
    }
    return all_right ? 0 : 1;
  }

  /// The candidate with this name, whether or not it is listed for the problem. A name states all parameters.
  Candidate named_candidate(Evaluator& evaluator, const Problem& problem, const std::string& name) const {
    for (auto& candidate : evaluator.candidates(problem))
      if (candidate.name == name && (family_.empty() || candidate.family == family_)) return candidate;
    return {.family = family_of(name), .name = name};
  }

  /// In this process, unless other workers take part or each candidate is to have a process of its own.
  std::unique_ptr<Evaluator> make_evaluator() const {
    std::vector<std::string> families;
    for (const auto& name : names_) families.push_back(family_of(name));
    const auto device = device_.empty() ? default_device(families.front()) : device_;
    const Roster roster({workers_, join(families, ","), device});
    if (apart_) return evaluators_apart({names_, families, roster, device});
    return worker_factory({.devices = {device},
                           .in_process = true,
                           .selection = {.split_k = true},
                           .workers = roster.workers(),
                           .absent = roster.absent()})(0);
  }

  /// The first device of the kind that the first candidate runs on, so that the command that reproduces a failure
  /// need not name a device. Workers of other programs get a GPU if there is one.
  static std::string default_device(const std::string& family) {
    const auto families = make_families();
    const auto own = std::ranges::find(families, family, [](const auto& one) { return one->name(); });
    const auto devices = list_devices();
    if (own == families.end()) return device_id(devices.back());
    for (const auto& device : devices)
      if (device.kind == (*own)->runs_on()) return device_id(device);
    fail(ErrorCode::no_device, "this machine has no device that {} runs on", family);
  }

  /// Of gemmtune's own families, and of workers that are known by name. Those of a command are known once it runs.
  std::string family_of(const std::string& candidate) const {
    if (!family_.empty()) return family_;
    const auto families = make_families();
    if (const auto* family = find_family_of(families, candidate)) return std::string(family->name());
    auto names = Roster().nameable();
    for (const auto& name : names)
      if (candidate.starts_with(name + "_")) return name;
    if (!workers_.empty()) return {};
    fail(ErrorCode::usage, "--candidate: found '{}', expected a name that starts with a family's: {}", candidate,
         join(names, ", "));
  }

  std::string problem_;
  std::vector<std::string> names_;
  std::string family_;
  std::string stage_{"confirm"};
  std::string device_;
  std::vector<std::string> workers_;
  std::uint64_t seed_{0};
  bool apart_{};
  bool memcheck_{};
};

}  // namespace

std::unique_ptr<Command> make_evaluate_command() { return std::make_unique<EvaluateCommand>(); }

}  // namespace gemmtune
