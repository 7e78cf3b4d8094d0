#include "gemmtune/cli/worker/worker_factory.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <thread>
#include <utility>

#include "gemmtune/bench/plausible_times.h"
#include "gemmtune/evaluate/local_evaluator.h"
#include "gemmtune/evaluate/passing_evaluator.h"
#include "gemmtune/families/registry.h"
#include "gemmtune/search/diverse_sample.h"
#include "gemmtune/worker/compile_ahead.h"
#include "gemmtune/worker/composite_evaluator.h"
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

class SelectingEvaluator final : public PassingEvaluator {
 public:
  SelectingEvaluator(std::unique_ptr<Evaluator> inner, Selection selection)
      : PassingEvaluator(std::move(inner)), selection_(std::move(selection)) {}

  std::vector<Candidate> candidates(const Problem& problem) override {
    auto all = PassingEvaluator::candidates(problem);
    if (selection_.adjust) all = selection_.adjust(problem, std::move(all));
    return selected(std::move(all), selection_);
  }

 private:
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

/// gemmtune's own worker is left out if none of its families is wanted.
bool wants_own(const WorkerSettings& settings) {
  return std::ranges::any_of(make_families(), [&](const auto& family) {
    return is_in(settings.selection.families, std::string(family->name()));
  });
}

bool wants(const WorkerSettings& settings, const NamedWorker& worker) {
  return std::ranges::any_of(worker.families,
                             [&](const auto& family) { return is_in(settings.selection.families, family); });
}

/// The number of compiling processes for each device: its share of the cores that the workers themselves do not use.
std::size_t processes_for_compiling(std::size_t devices) {
  constexpr std::size_t most = 16;
  const std::size_t cores = std::thread::hardware_concurrency();
  return cores <= devices ? 1 : std::min(most, std::max<std::size_t>((cores - devices) / devices, 1));
}

Member member_for(const NamedWorker& worker, const std::string& device, const WorkerSettings& settings) {
  auto options = start_options(worker, device);
  options.candidate_timeout_s = settings.candidate_timeout_s;
  options.environment.emplace("GEMMTUNE_COMPILERS", std::to_string(processes_for_compiling(settings.devices.size())));
  return {.name = worker.name,
          .evaluator = std::make_unique<RemoteEvaluator>(std::move(options)),
          .trust = worker.trusted ? Trust::trusted : Trust::audited,
          .families = worker.families};
}

/// The device as gemmtune's own worker describes it, so that trials do not depend on which workers take part.
DeviceInfo described(const std::string& device) {
  auto info = find_device(device);
  for (const auto& family : make_families()) info.libraries[std::string(family->name())] = family->version();
  return info;
}

std::unique_ptr<Evaluator> own_evaluator(const WorkerSettings& settings, const std::string& device) {
  return settings.in_process ? evaluate_here(device) : start_worker(device, settings.candidate_timeout_s);
}

std::unique_ptr<Evaluator> evaluator_of(const WorkerSettings& settings, const std::string& device) {
  if (settings.workers.empty() && settings.absent.empty()) return own_evaluator(settings, device);
  std::vector<Member> members;
  if (wants_own(settings))
    members.push_back({.name = "gemmtune", .evaluator = own_evaluator(settings, device), .trust = Trust::trusted});
  for (const auto& worker : settings.workers)
    if (wants(settings, worker)) members.push_back(member_for(worker, device, settings));
  return std::make_unique<CompositeEvaluator>(described(device), std::move(members), settings.absent);
}

}  // namespace

std::unique_ptr<Evaluator> evaluators_apart(const Apart& apart) {
  const WorkerSettings settings{.devices = {apart.device}};
  std::vector<Member> members;
  const auto& own = apart.roster.own_families();
  for (std::size_t i = 0; i < apart.names.size(); ++i) {
    if (std::ranges::find(own, apart.families[i]) == own.end()) continue;
    members.push_back({.name = "gemmtune for " + apart.names[i],
                       .evaluator = start_worker(apart.device, settings.candidate_timeout_s),
                       .trust = Trust::trusted,
                       .candidates = {apart.names[i]}});
  }
  for (const auto& worker : apart.roster.workers()) members.push_back(member_for(worker, apart.device, settings));
  return std::make_unique<CompositeEvaluator>(described(apart.device), std::move(members), apart.roster.absent());
}

WorkerFactory worker_factory(WorkerSettings settings) {
  return [settings = std::move(settings)](std::size_t worker) -> std::unique_ptr<Evaluator> {
    const auto& device = settings.devices.at(worker);
    auto evaluator = evaluator_of(settings, device);
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
