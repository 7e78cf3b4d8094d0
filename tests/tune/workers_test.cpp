// Several workers, some of which fail during the run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "gemmtune/tune/tuner.h"
#include "tests/tune/fake_evaluator.h"

namespace gemmtune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

/// A fake that throws from its n-th evaluate() on.
class FailingEvaluator final : public Evaluator {
 public:
  FailingEvaluator(FakeWorld& world, int index, int lives, ErrorCode code)
      : inner_(world, index), lives_(lives), code_(code) {}

  DeviceInfo device() override { return inner_.device(); }
  std::vector<FamilySupport> supports(const Problem& problem) override { return inner_.supports(problem); }
  std::vector<Candidate> candidates(const Problem& problem) override { return inner_.candidates(problem); }
  void evaluate(const Problem& problem, std::span<const Candidate> candidates, const EvaluationPolicy& policy,
                EvaluationObserver& observer) override {
    if (--lives_ < 0) throw Error(code_, "gone for good");
    inner_.evaluate(problem, candidates, policy, observer);
  }

 private:
  FakeEvaluator inner_;
  int lives_;
  ErrorCode code_;
};

std::map<std::string, std::string> winners(const TuneReport& report) {
  std::map<std::string, std::string> names;
  for (const ShapeResult& r : report.results)
    names[to_string(r.shape.problem)] = r.winner ? r.winner->candidate.name : "";
  return names;
}

TEST(Workers, AgreeHoweverManyThereAre) {
  FakeRun one;
  one.plan.shapes = shapes_of(10);
  const auto expected = winners(one.run());
  FakeRun four;
  four.plan.shapes = shapes_of(10);
  four.workers = 4;
  EXPECT_EQ(winners(four.run()), expected);
  EXPECT_EQ(four.world.evaluation_count(), one.world.evaluation_count());
}

TEST(Workers, ShareTheShapes) {
  FakeRun run;
  run.plan.shapes = shapes_of(8);
  run.world.takes = std::chrono::milliseconds(1);
  run.workers = 3;
  run.run();
  std::set<int> devices;
  std::map<Problem, std::set<int>> of_problem;
  for (const Trial& trial : TrialStore::open(run.folder.store()).all()) {
    devices.insert(trial.context.device.index);
    of_problem[trial.problem].insert(trial.context.device.index);
  }
  EXPECT_THAT(devices, SizeIs(3));
  for (const auto& [problem, on] : of_problem) EXPECT_THAT(on, SizeIs(1)) << "a shape stays on one worker";
}

TEST(Workers, ThatCannotGoOnGiveTheirShapeToOthers) {
  FakeRun run;
  run.plan.shapes = shapes_of(6);
  run.workers = 2;
  run.world.takes = std::chrono::milliseconds(1);
  const auto report = run.run_with([&](std::size_t worker) -> std::unique_ptr<Evaluator> {
    return std::make_unique<FailingEvaluator>(run.world, static_cast<int>(worker), worker == 1 ? 5 : 1'000'000,
                                              ErrorCode::protocol);
  });
  EXPECT_THAT(run.observer.lost, ElementsAre("1: gone for good"));
  FakeRun whole;
  whole.plan.shapes = shapes_of(6);
  EXPECT_EQ(winners(report), winners(whole.run()));
  EXPECT_EQ(run.world.evaluation_count(), whole.world.evaluation_count())
      << "the other one went on where it had stopped";
}

// The other workers wait until the last shape is finished, because a shape may be given back.
TEST(Workers, TakeOverEvenTheLastShape) {
  FakeRun run;
  run.plan.shapes = shapes_of(1);
  run.workers = 4;
  const auto report = run.run_with([&](std::size_t worker) -> std::unique_ptr<Evaluator> {
    return std::make_unique<FailingEvaluator>(run.world, static_cast<int>(worker), worker == 3 ? 1'000'000 : 3,
                                              ErrorCode::protocol);
  });
  EXPECT_TRUE(report.results[0].winner);
}

TEST(Workers, AllGoneFailTheRemainingShapesWithTheReason) {
  FakeRun run;
  run.workers = 2;
  const auto report = run.run_with([&](std::size_t worker) -> std::unique_ptr<Evaluator> {
    if (worker == 0) fail(ErrorCode::protocol, "says no hello");
    return std::make_unique<FailingEvaluator>(run.world, 1, 12, ErrorCode::no_device);
  });
  EXPECT_THAT(run.observer.lost, SizeIs(2));
  EXPECT_TRUE(report.results[0].winner) << "done before";
  EXPECT_EQ(report.results[2].why_failed, "not reached: no worker is left: gone for good");
  EXPECT_FALSE(report.stopped_by);
}

// An evaluator in this process may find one shape too large. It can still tune the others.
TEST(Workers, GoOnAfterAnErrorOfOneShape) {
  FakeRun run;
  run.world.answer = [](const Problem& p, const Candidate& c, Stage stage) {
    if (p == invented_problem(2) && c.name == "toy_9") fail(ErrorCode::io, "no 64 GiB of memory");
    return answered(c, stage, told_time_us(p, c));
  };
  const auto report = run.run();
  EXPECT_TRUE(report.results[0].complete);
  EXPECT_FALSE(report.results[1].complete);
  EXPECT_EQ(report.results[1].cut_short_by, "no 64 GiB of memory");
  ASSERT_TRUE(report.results[1].winner) << "the best until then is proven";
  EXPECT_EQ(report.results[1].winner->stage, Stage::screen);
  EXPECT_THAT(run.world.log, testing::Contains(Asked(to_string(invented_problem(2)),
                                                     report.results[1].winner->candidate.name, Stage::prove)));
  EXPECT_TRUE(report.results[2].complete);
}

/// Reports nothing at all.
class SilentEvaluator final : public Evaluator {
 public:
  explicit SilentEvaluator(FakeWorld& world) : inner_(world, 0) {}

  DeviceInfo device() override { return inner_.device(); }
  std::vector<FamilySupport> supports(const Problem& problem) override { return inner_.supports(problem); }
  std::vector<Candidate> candidates(const Problem& problem) override { return inner_.candidates(problem); }
  void evaluate(const Problem&, std::span<const Candidate>, const EvaluationPolicy&, EvaluationObserver&) override {}

 private:
  FakeEvaluator inner_;
};

TEST(Workers, ThatReportNothingFailTheShape) {
  FakeRun run;
  const auto report = run.run_with([&](std::size_t) { return std::make_unique<SilentEvaluator>(run.world); });
  for (const ShapeResult& result : report.results) {
    EXPECT_EQ(result.why_failed, "the evaluator reported 0 of 8 candidates");
  }
}

}  // namespace
}  // namespace gemmtune
