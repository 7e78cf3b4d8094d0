// What each planted fault must come to, at the stage that is to catch it.
#pragma once

#include <gtest/gtest.h>

#include "tests/evaluate/fixture.h"

namespace gemmtune {

struct Expected {
  std::string fault{};
  Outcome outcome{};
  std::string reason{};  // must be part of it
};

/// Evaluates one candidate of the broken family.
inline Evaluation evaluate_fault(const std::string& problem, const std::string& fault, const EvaluationPolicy& policy) {
  auto evaluator = broken_evaluator();
  Remembered seen;
  const std::vector candidates{broken::candidate(fault)};
  evaluator.evaluate(parse_problem(problem), candidates, policy, seen);
  EXPECT_EQ(seen.evaluations.size(), 1u) << problem << " " << fault;
  return seen.evaluations.empty() ? Evaluation{} : seen.evaluations.front();
}

inline void expect_outcome(const Evaluation& evaluation, const Expected& expected) {
  EXPECT_EQ(to_string(evaluation.outcome), to_string(expected.outcome)) << expected.fault << ": " << evaluation.reason;
  EXPECT_NE(evaluation.reason.find(expected.reason), std::string::npos) << expected.fault << ": " << evaluation.reason;
}

/// Faults that a single launch or two give away.
inline std::vector<Expected> visible_faults(bool packed) {
  std::vector<Expected> faults{
      {"prepare_refuses", Outcome::unsupported, "planted: prepare refuses"},
      {"prepare_throws", Outcome::compile_failed, "planted: the compiler gave up"},
      {"needs_huge_workspace", Outcome::launch_failed, "needs 1152921504606846976 bytes of workspace"},
      {"reports_failure", Outcome::launch_failed, "planted failure of a launch"},
      {"one_element", Outcome::wrong_result, "1 of "},
      {"one_tile", Outcome::wrong_result, "further off than rounding explains"},
      {"k_tail", Outcome::wrong_result, "further off than rounding explains"},
      {"last_row", Outcome::wrong_result, "never written"},
      {"unwritten_tile", Outcome::wrong_result, "never written"},
      {"wrong_after_first", Outcome::wrong_result, "1 of "},
      {"writes_first_output", Outcome::wrong_result, ""},  // other outputs hold poison, or numbers that are wrong now
      {"writes_after_end", Outcome::wrong_result, "wrote out of bounds: C: byte 1 after the end"},
      {"writes_before_start", Outcome::wrong_result, "wrote out of bounds: C: byte 1 before the start"},
      {"workspace_overrun", Outcome::wrong_result, "wrote out of bounds: workspace: byte 1 after the end"},
      {"writes_input", Outcome::wrong_result, "changed its input: A"}};
  if (!packed) return faults;
  faults.push_back({"pack_refuses", Outcome::unsupported, "planted: these weights cannot be packed"});
  faults.push_back(
      {"pack_overrun", Outcome::wrong_result, "wrote out of bounds: packed weights: byte 1 after the end"});
  return faults;
}

/// On each kind of problem.
class OnEachProblem : public testing::TestWithParam<std::string> {
 protected:
  std::vector<Expected> faults() const { return visible_faults(parse_problem(GetParam()).packed); }
};

inline auto each_problem() { return testing::ValuesIn(problem_texts()); }
inline std::string problem_name(const testing::TestParamInfo<std::string>& info) { return problem_label(info.param); }

}  // namespace gemmtune
