#include "gemmtune/cli/worker/worker_factory.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <thread>
#include <utility>

#include "gemmtune/bench/plausible_times.h"
#include "gemmtune/evaluate/local_evaluator.h"
#include "gemmtune/families/registry.h"
#include "gemmtune/search/diverse_sample.h"
#include "gemmtune/worker/compile_ahead.h"
#include "gemmtune/worker/remote_evaluator.h"

namespace gemmtune {
namespace {

bool is_in(const std::vector<std::string>& families, const std::string& family) {
  return families.empty() || std::ranges::find(families, family) != families.end();
}

/// The indices of the chosen candidates of one family, in order.
std::set<std::size_t> sampled(const std::vector<Candidate>& candidates, const Selection& selection) {
  const auto most = static_cast<std::size_t>(selection.most_of_a_family);
  const bool spreads = selection.sample == Sample::diverse && candidates.size() > most;
  std::vector<std::size_t> chosen(std::min(spreads ? (most + 1) / 2 : most, candidates.size()));
  std::iota(chosen.begin(), chosen.end(), 0);
  if (spreads) chosen = most_diverse(candidates, std::move(chosen), most);
  return {chosen.begin(), chosen.end()};
}

std::vector<Candidate> selected(std::vector<Candidate> all, const Selection& selection) {
  std::erase_if(all, [&](const Candidate& candidate) {
    const bool splits = candidate.split_k > 1 && !selection.split_k && !candidate.is_default;
    return splits || !is_in(selection.families, candidate.family);
  });
  std::map<std::string, std::vector<Candidate>> by_family;
  for (const auto& candidate : all)
    if (!candidate.is_default) by_family[candidate.family].push_back(candidate);
  std::set<Candidate> kept;
  for (const auto& [family, candidates] : by_family)
    for (const auto i : sampled(candidates, selection)) kept.insert(candidates[i]);
  std::erase_if(all, [&](const Candidate& candidate) { return !candidate.is_default && !kept.contains(candidate); });
  return all;
}

class SelectingEvaluator final : public Evaluator {
 public:
  SelectingEvaluator(std::unique_ptr<Evaluator> inner, Selection selection)
      : inner_(std::move(inner)), selection_(std::move(selection)) {}

  DeviceInfo device() override { return inner_->device(); }
  std::vector<FamilySupport> supports(const Problem& problem) override { return inner_->supports(problem); }
  std::vector<Candidate> candidates(const Problem& problem) override {
    return selected(inner_->candidates(problem), selection_);
  }
  void evaluate(const Problem& problem, std::span<const Candidate> candidates, const EvaluationPolicy& policy,
                EvaluationObserver& observer) override {
    inner_->evaluate(problem, candidates, policy, observer);
  }
  void interrupt() override { inner_->interrupt(); }

 private:
  std::unique_ptr<Evaluator> inner_;
  Selection selection_;
};

std::unique_ptr<Evaluator> evaluate_here(const std::string& device) {
  return std::make_unique<LocalEvaluator>(open_device(device), make_families());
}

std::unique_ptr<Evaluator> start_worker(const std::string& device, double candidate_timeout_s) {
  return std::make_unique<RemoteEvaluator>(RemoteOptions{
      .command = {"/proc/self/exe", "worker", "--device", device},
      .candidate_timeout_s = candidate_timeout_s,
  });
}

/// The number of compiling processes for each worker: its share of the cores that the workers themselves do not use.
std::size_t processes_for_compiling(std::size_t workers) {
  constexpr std::size_t most = 16;
  const std::size_t cores = std::thread::hardware_concurrency();
  return cores <= workers ? 1 : std::min(most, std::max<std::size_t>((cores - workers) / workers, 1));
}

}  // namespace

WorkerFactory worker_factory(WorkerSettings settings) {
  return [settings = std::move(settings)](std::size_t worker) -> std::unique_ptr<Evaluator> {
    const auto& device = settings.devices.at(worker);
    auto evaluator = settings.in_process ? evaluate_here(device) : start_worker(device, settings.candidate_timeout_s);
    if (settings.roofline) evaluator = with_plausible_times(std::move(evaluator), *settings.roofline);
    auto selecting = std::make_unique<SelectingEvaluator>(std::move(evaluator), settings.selection);
    if (settings.in_process || device.starts_with("cpu")) return selecting;
    auto compiler = KernelCompiler::open(KernelCache(default_kernel_cache()), selecting->device().kind);
    return std::make_unique<CompileAhead>(
        std::move(selecting), make_families(), std::move(compiler),
        CompileAheadOptions{.command = {"/proc/self/exe", "cache", "fill"},
                            .processes = processes_for_compiling(settings.devices.size())});
  };
}

}  // namespace gemmtune
