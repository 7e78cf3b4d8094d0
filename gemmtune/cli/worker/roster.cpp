#include "gemmtune/cli/worker/roster.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "gemmtune/cli/comma_list.h"
#include "gemmtune/cli/worker/worker_files.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/words.h"
#include "gemmtune/families/registry.h"
#include "gemmtune/worker/remote_evaluator.h"

namespace gemmtune {
namespace {

/// A worker lists its families for every problem, those that do not support it too.
const Problem& any_problem() {
  static const Problem problem = parse_problem("64x64x64:bf16:bf16:bf16");
  return problem;
}

NamedWorker given_by(const std::string& command) {
  NamedWorker worker{.name = command, .command = command_words(command)};
  if (worker.command.empty())
    fail(ErrorCode::usage, "--worker: expected a command, as './my-worker --device {{device}}'");
  return worker;
}

bool offers_one_of(const NamedWorker& worker, const std::vector<std::string>& asked) {
  return std::ranges::any_of(worker.families,
                             [&](const auto& family) { return std::ranges::find(asked, family) != asked.end(); });
}

}  // namespace

/// A worker that is starting, to be asked for its families.
struct Roster::Applicant {
  NamedWorker worker{};
  std::unique_ptr<RemoteEvaluator> evaluator{};

  Applicant(NamedWorker given, const std::string& device_id)
      : worker(std::move(given)), evaluator(std::make_unique<RemoteEvaluator>(start_options(worker, device_id))) {}
};

Roster::Roster() { add_own(); }

Roster::Roster(const RosterRequest& request) {
  add_own();
  std::vector<Applicant> given;
  for (const auto& command : request.commands) given.emplace_back(given_by(command), request.device_id);
  for (auto& applicant : given) applicant.evaluator->begin_start();
  for (auto& applicant : given) add(applicant);
  auto named = named_applicants(request);
  for (auto& applicant : named) applicant.evaluator->begin_start();
  for (auto& applicant : named) add_if_it_starts(applicant);
  const auto asked = comma_list(request.families);
  const bool none_is_left =
      !asked.empty() && std::ranges::all_of(asked, [&](const auto& family) { return absent_.contains(family); });
  if (none_is_left) fail(ErrorCode::no_device, "{}", absent_.at(asked.front()));
}

/// The workers of workers.toml that are asked for, without the families that are there already: what the user gives by
/// a command counts.
std::vector<Roster::Applicant> Roster::named_applicants(const RosterRequest& request) const {
  const auto asked = comma_list(request.families);
  std::vector<Applicant> applicants;
  for (auto worker : named_workers()) {
    std::erase_if(worker.families, [&](const std::string& family) { return versions_.contains(family); });
    if (offers_one_of(worker, asked)) applicants.emplace_back(std::move(worker), request.device_id);
  }
  return applicants;
}

void Roster::add_own() {
  for (const auto& family : make_families()) {
    own_.emplace_back(family->name());
    versions_[own_.back()] = family->version_of_build();
  }
  families_ = own_;
}

void Roster::add(Applicant& applicant) {
  auto& worker = applicant.worker;
  const bool is_known = !worker.families.empty();
  for (const auto& [family, version, why_not, count] : applicant.evaluator->supports(any_problem())) {
    if (is_known && std::ranges::find(worker.families, family) == worker.families.end()) continue;
    if (!versions_.emplace(family, version).second)
      fail(ErrorCode::usage, "the worker '{}' offers the family {}, which is there already", worker.name, family);
    families_.push_back(family);
    if (!is_known) worker.families.push_back(family);
  }
  if (worker.families.empty()) fail(ErrorCode::usage, "the worker '{}' offers no family", worker.name);
  workers_.push_back(std::move(worker));
}

void Roster::add_if_it_starts(Applicant& applicant) {
  try {
    add(applicant);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::usage) throw;
    spdlog::warn("{}", error.what());
    for (const auto& family : applicant.worker.families) {
      absent_.emplace(family, error.what());
      families_.push_back(family);
    }
  }
}

std::vector<std::string> Roster::nameable() const {
  auto names = families_;
  for (auto& family : families_by_name_only())
    if (std::ranges::find(names, family) == names.end()) names.push_back(std::move(family));
  return names;
}

std::vector<std::string> families_by_name_only() {
  std::vector<std::string> families;
  for (const auto& worker : named_workers())
    families.insert(families.end(), worker.families.begin(), worker.families.end());
  return families;
}

}  // namespace gemmtune
