// The rules that an evaluation from a store is held to. What a worker must send beside them is in
// tests/worker/audit_test.cpp.
#include "gemmtune/space/plausibility.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace gemmtune {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

/// As stores keep screenings: without samples.
Evaluation screened() {
  return {.candidate = {.family = "f", .name = "n"},
          .timing = {.median_us = 10,
                     .min_us = 9,
                     .mean_us = 10.5,
                     .low_us = 9,
                     .high_us = 12,
                     .dispersion = 0.1,
                     .sample_count = 5,
                     .workspace_bytes = 4096},
          .accuracy = {.err_ratio = 0.01, .worst_error = 0.5, .worst_share_of_bound = 0.5, .checked = 32}};
}

std::string why(const std::function<void(Evaluation&)>& spoil, const Problem& problem = {.m = 4, .n = 8, .k = 16}) {
  Evaluation evaluation = screened();
  spoil(evaluation);
  return why_implausible(evaluation, problem, {});
}

void expect_named(const std::string& field, const std::function<void(Evaluation&)>& spoil) {
  EXPECT_EQ(why(spoil).rfind("evaluation." + field + ":", 0), 0U) << field << ": '" << why(spoil) << "'";
}

TEST(Plausibility, AcceptsWhatStoresHold) {
  EXPECT_EQ(why([](Evaluation&) {}), "");
  EXPECT_EQ(why([](Evaluation& e) { e.timing.low_us = -5; }), "") << "the interval of two samples may reach below 0";
  EXPECT_EQ(why([](Evaluation& e) {
              e = {.candidate = e.candidate, .outcome = Outcome::launch_failed, .reason = "no memory"};
              e.timing.workspace_bytes = 1 << 20;
            }),
            "");
}

TEST(Plausibility, NamesTheFieldThatCannotBe) {
  expect_named("timing.workspace_bytes", [](Evaluation& e) { e.timing.workspace_bytes = -1; });
  expect_named("timing.workspace_bytes", [](Evaluation& e) { e.timing.workspace_bytes = largest; });
  expect_named("timing.packed_bytes", [](Evaluation& e) { e.timing.packed_bytes = -1; });
  expect_named("timing.sample_count", [](Evaluation& e) { e.timing.sample_count = -5; });
  expect_named("timing.low_us", [](Evaluation& e) { e.timing.low_us = -1e9; });
  expect_named("timing.high_us", [](Evaluation& e) { e.timing.high_us = 1e300; });
  expect_named("timing.median_us", [](Evaluation& e) { e.timing.median_us = 1e-300; });
  expect_named("timing.min_us", [](Evaluation& e) { e.timing.min_us = 11; });
  expect_named("timing.mean_us", [](Evaluation& e) { e.timing.mean_us = 8; });
  expect_named("timing.dispersion", [](Evaluation& e) { e.timing.dispersion = 2; });
  expect_named("timing.clock_mhz", [](Evaluation& e) { e.timing.clock_mhz = 1e9; });
  expect_named("timing.pack_us", [](Evaluation& e) { e.timing.pack_us = std::nan(""); });
  expect_named("accuracy.unwritten", [](Evaluation& e) { e.accuracy.unwritten = -1; });
  expect_named("accuracy.checked", [](Evaluation& e) { e.accuracy.checked = largest; });
  expect_named("cost.verify_s", [](Evaluation& e) { e.cost.verify_s = INFINITY; });
}

TEST(Plausibility, WeightsArePackedOnlyWhereTheProblemAllowsIt) {
  const auto packs = [](Evaluation& e) { e.timing.packed_bytes = 64; };
  expect_named("timing.packed_bytes", packs);
  EXPECT_EQ(why(packs, {.m = 4, .n = 8, .k = 16, .packed = true}), "");
}

TEST(Plausibility, TheErrorRatioIsHeldToThePolicy) {
  Evaluation evaluation = screened();
  const Problem problem{.m = 4, .n = 8, .k = 16};
  EXPECT_EQ(why_implausible(evaluation, problem, {.err_ratio_limit = 0.01}), "");
  EXPECT_NE(why_implausible(evaluation, problem, {.err_ratio_limit = 0.009}), "");
}

TEST(Plausibility, SizesOfProblemsDoNotOverflow) {
  const std::int64_t far = std::int64_t{1} << 40;
  EXPECT_EQ(why([](Evaluation& e) { e.accuracy.checked = largest; }, {.m = far, .n = far, .k = 16}), "");
}

}  // namespace
}  // namespace gemmtune
