// Stresses the candidates of many problems within a budget, over several seeds: in which order, and with which results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gemmtune/evaluate/evaluator.h"

namespace gemmtune {

struct StressPlan {
  std::vector<Problem> problems{};
  std::vector<std::string> families{};    // empty: all
  std::vector<std::string> candidates{};  // names; empty: all
  std::int64_t seeds{3};
  std::int64_t launches{200};  // with each seed
  double budget_s{600};
};

/// The result of one candidate for one problem.
struct StressRecord {
  Problem problem{};
  Candidate candidate{};
  std::int64_t launches{};  // that passed
  Outcome outcome{Outcome::ok};
  std::string reason{};  // why the outcome is not ok, or that bits change from launch to launch

  bool is_refused() const { return outcome == Outcome::unsupported; }
  bool is_failed() const { return outcome != Outcome::ok && !is_refused(); }
  bool changes_bits() const { return outcome == Outcome::ok && !reason.empty(); }
};

/// One record for each candidate of each problem. Each problem gets an equal share of the time that is left. All of its
/// candidates run with one seed before any runs with the next, families in turn. A candidate that failed is not run
/// again. The evaluator must make `launches` launches of each candidate.
std::vector<StressRecord> run_stress(Evaluator& evaluator, const StressPlan& plan);

}  // namespace gemmtune
