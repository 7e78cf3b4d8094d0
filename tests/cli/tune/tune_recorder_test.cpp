// Which results of a run get a row of the table: those of proven winners, and no others.
#include "gemmtune/cli/tune/tune_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "gemmtune/cli/tune/summary.h"
#include "gemmtune/table/aiter_csv.h"
#include "tests/evaluate/fixture.h"
#include "tests/trials/invented_trials.h"

namespace gemmtune {
namespace {

using testing::HasSubstr;

/// Raises the cost of checks, so that a long time is kept for the proof.
class CostlyChecks final : public EvaluationObserver {
 public:
  CostlyChecks(EvaluationObserver& inner, double check_s) : inner_(inner), check_s_(check_s) {}

  void started(const Candidate& candidate) override { inner_.started(candidate); }
  void evaluated(const Evaluation& evaluation) override {
    auto told = evaluation;
    if (told.stage == Stage::screen) told.cost.verify_s = check_s_;
    inner_.evaluated(told);
  }

 private:
  EvaluationObserver& inner_;
  double check_s_;
};

/// Real kernels, screened and proven as usual. Finalists are timed until somebody interrupts.
class EndlessFinals final : public Evaluator {
 public:
  EndlessFinals(const std::string& fault, double check_s) : inner_(small_cpu(), families(fault)), check_s_(check_s) {}

  DeviceInfo device() override { return inner_.device(); }
  std::vector<FamilySupport> supports(const Problem& problem) override { return inner_.supports(problem); }
  std::vector<Candidate> candidates(const Problem& problem) override { return inner_.candidates(problem); }

  void evaluate(const Problem& problem, std::span<const Candidate> candidates, const EvaluationPolicy& policy,
                EvaluationObserver& observer) override {
    interrupted_ = false;
    CostlyChecks costly(observer, check_s_);
    if (policy.stage != Stage::confirm) return inner_.evaluate(problem, candidates, policy, costly);
    while (!interrupted_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  void interrupt() override { interrupted_ = true; }

 private:
  static std::vector<std::unique_ptr<KernelFamily>> families(const std::string& fault) {
    std::vector<std::unique_ptr<KernelFamily>> all;
    all.push_back(broken::make_family({fault}));
    return all;
  }

  LocalEvaluator inner_;
  double check_s_;
  std::atomic<bool> interrupted_{};
};

class TuneRecorderTest : public testing::Test {
 protected:
  TuneRecorderTest() { plan_.shapes = {{.problem = parse_problem("33x47x130:f32:f32:f32"), .where = "shapes.csv:2"}}; }

  RunSummary run(const WorkerFactory& workers) {
    const std::atomic<bool> stop{};
    auto store = TrialStore::open(folder_.store());
    Progress progress(plan_.shapes.size(), ProgressStyle::lines);
    TuneRecorder recorder(small_cpu()->info(),
                          {.table = SharedTable(table_path(), {.format = Format::a16w16}),
                           .profile = ProfileFile("", {Format::a16w16}, small_cpu()->info()),
                           .store = store},
                          progress, stop);
    recorder.begin("gemmtune tune", plan_.shapes.size());
    RunSummary summary{.results = tune(plan_, 1, workers, store, recorder, stop).results};
    recorder.end("done");
    return summary;
  }

  RunSummary run_endlessly(const std::string& fault, double check_s) {
    return run([&](std::size_t) { return std::make_unique<EndlessFinals>(fault, check_s); });
  }

  std::filesystem::path table_path() const { return folder_.path() / "tuned.csv"; }
  TunedTable table() const { return read_tuned_table(table_path(), Format::a16w16); }
  std::size_t row_count() const { return table().rows.size(); }

  TemporaryFolder folder_;
  TunePlan plan_;
};

TEST_F(TuneRecorderTest, ABudgetThatEndsWritesTheBestOnceItIsProven) {
  plan_.budget_s = 12.5;
  const auto summary = run_endlessly("right", 1);  // 12 s are kept for the proof
  EXPECT_EQ(row_count(), 1U);
  EXPECT_EQ(count_shapes(summary).failed, 0U);
  EXPECT_THAT(summary.results.at(0).cut_short_by, HasSubstr("the budget of"));
}

// Screening draws numbers of both signs, whose sums are small. The proof's are of one sign.
TEST_F(TuneRecorderTest, ABudgetThatEndsWritesNothingThatTheProofTurnsDown) {
  plan_.budget_s = 12.5;
  const auto summary = run_endlessly("drops_one_sign", 1);
  EXPECT_EQ(row_count(), 0U);
  EXPECT_EQ(count_shapes(summary).tuned, 0U);
  EXPECT_EQ(count_shapes(summary).failed, 1U) << "so the exit code is 1";
  EXPECT_THAT(summary_text(summary), HasSubstr("one_sign: "));
}

TEST_F(TuneRecorderTest, ABudgetWithoutTimeForTheProofWritesNothingAndTheNextRunGoesOn) {
  plan_.budget_s = 0.5;
  for (const char* fault : {"drops_one_sign", "right"}) {
    const auto summary = run_endlessly(fault, 1000);
    EXPECT_EQ(row_count(), 0U) << fault;
    EXPECT_EQ(count_shapes(summary).failed, 1U) << fault;
    EXPECT_THAT(summary_text(summary), HasSubstr("the budget of"));
  }
  plan_.budget_s.reset();
  const auto next = run([](std::size_t) {
    std::vector<std::unique_ptr<KernelFamily>> families;
    families.push_back(broken::make_family({"right"}));
    return std::make_unique<LocalEvaluator>(small_cpu(), std::move(families));
  });
  EXPECT_EQ(row_count(), 1U);
  EXPECT_EQ(count_shapes(next).failed, 0U);
}

}  // namespace
}  // namespace gemmtune
