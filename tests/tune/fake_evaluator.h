// Runs of the tuner without kernels: evaluators that follow a script and keep a log, and an observer that counts.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "gemmtune/core/text.h"
#include "gemmtune/tune/tuner.h"
#include "tests/trials/invented_trials.h"

namespace gemmtune {

/// What one evaluation was asked for.
using Asked = std::tuple<std::string, std::string, Stage>;  // problem, candidate, stage

/// Candidates and outcomes of a world without kernels, and what was asked of it. Shared by the evaluators of a run.
struct FakeWorld {
  std::vector<Candidate> candidates{};
  std::function<Evaluation(const Problem&, const Candidate&, Stage)> answer{};
  std::chrono::milliseconds takes{0};  // for each candidate
  bool interruptible{true};
  std::string family_version{"toy 1"};

  std::mutex mutex{};
  std::vector<Asked> log{};
  std::vector<std::size_t> batch_sizes{};
  std::vector<std::size_t> expected_sizes{};  // of what it was told to expect, when

  std::size_t evaluation_count() {
    const std::scoped_lock lock(mutex);
    return log.size();
  }
};

class FakeEvaluator final : public Evaluator {
 public:
  FakeEvaluator(FakeWorld& world, int index) : world_(world) {
    device_ = invented_context().device;
    device_.index = index;
  }

  DeviceInfo device() override { return device_; }

  std::vector<FamilySupport> supports(const Problem&) override {
    return {{.family = "toy", .version = world_.family_version},
            {.family = "other", .version = "other 1", .why_not = world_.candidates.empty() ? "K % 7 != 0" : ""}};
  }

  std::vector<Candidate> candidates(const Problem&) override { return world_.candidates; }

  void expect(const Problem&, std::span<const Candidate> candidates) override {
    const std::scoped_lock lock(world_.mutex);
    world_.expected_sizes.push_back(candidates.size());
  }

  void evaluate(const Problem& problem, std::span<const Candidate> candidates, const EvaluationPolicy& policy,
                EvaluationObserver& observer) override {
    interrupted_ = false;
    note_batch(candidates.size());
    for (const Candidate& candidate : candidates) {
      if (!pass_time()) return;
      observer.started(candidate);
      note(problem, candidate, policy.stage);
      observer.evaluated(world_.answer(problem, candidate, policy.stage));
    }
  }

  void interrupt() override { interrupted_ = world_.interruptible; }

 private:
  bool pass_time() const {
    const auto end = std::chrono::steady_clock::now() + world_.takes;
    while (!interrupted_ && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return !interrupted_;
  }

  void note(const Problem& problem, const Candidate& candidate, Stage stage) {
    const std::scoped_lock lock(world_.mutex);
    world_.log.emplace_back(to_string(problem), candidate.name, stage);
  }

  void note_batch(std::size_t size) {
    const std::scoped_lock lock(world_.mutex);
    world_.batch_sizes.push_back(size);
  }

  FakeWorld& world_;
  DeviceInfo device_;
  std::atomic<bool> interrupted_{};
};

inline WorkerFactory fake_workers(FakeWorld& world) {
  return [&world](std::size_t worker) { return std::make_unique<FakeEvaluator>(world, static_cast<int>(worker)); };
}

inline Evaluation answered(const Candidate& candidate, Stage stage, double time_us) {
  Evaluation evaluation{.candidate = candidate, .stage = stage};
  evaluation.timing = {.median_us = time_us,
                       .min_us = time_us,
                       .mean_us = time_us,
                       .low_us = time_us * 0.999,
                       .high_us = time_us * 1.001,
                       .sample_count = 3};
  evaluation.accuracy.checked = 1;
  evaluation.cost.kernel_s = 0.5;
  return evaluation;
}

inline Evaluation refused(const Candidate& candidate, Stage stage, Outcome outcome) {
  return {.candidate = candidate,
          .stage = stage,
          .outcome = outcome,
          .reason = fmt::format("{} as told", to_string(outcome))};
}

inline std::vector<Candidate> numbered_candidates(int count, const std::string& family = "toy") {
  std::vector<Candidate> candidates;
  for (int i = 0; i < count; ++i) candidates.push_back({.family = family, .name = fmt::format("{}_{}", family, i)});
  return candidates;
}

/// A time for each (problem, candidate), far enough apart that nothing is tied; the same whenever it is asked.
inline double told_time_us(const Problem& problem, const Candidate& candidate) {
  return 10000.0 + static_cast<double>(hash64(candidate.name, hash64(to_string(problem))) % 997) * 10;
}

/// The world that most tests want: about one in five candidates fails, each problem in its own way.
inline Evaluation mixed_answer(const Problem& problem, const Candidate& candidate, Stage stage) {
  const auto luck = hash64(to_string(problem), hash64(candidate.name)) % 15;
  if (stage == Stage::screen && luck < 2) return refused(candidate, stage, Outcome::wrong_result);
  if (stage == Stage::screen && luck == 2) return refused(candidate, stage, Outcome::crashed);
  if (stage == Stage::confirm && luck == 3) return refused(candidate, stage, Outcome::timed_out);
  if (stage == Stage::prove && luck < 6) return refused(candidate, stage, Outcome::wrong_result);
  return answered(candidate, stage, told_time_us(problem, candidate));
}

inline std::vector<Shape> shapes_of(int count) {
  std::vector<Shape> shapes;
  for (int m = 1; m <= count; ++m)
    shapes.push_back({.problem = invented_problem(m), .where = fmt::format("shapes.csv:{}", m + 1)});
  return shapes;
}

/// Counts, and calls `at_candidate` in each candidate_done.
class CountingObserver final : public TuneObserver {
 public:
  std::function<void()> at_candidate{};
  std::vector<std::string> started{};
  std::vector<ShapeResult> done{};
  std::vector<std::string> remarks{};
  std::vector<std::string> lost{};
  int from_store{};
  int candidates{};

  void shape_started(const Shape& shape, std::size_t) override { started.push_back(shape.where); }
  void candidate_done(const Shape&, const Evaluation&, bool stored) override {
    ++candidates;
    if (stored) ++from_store;
    if (at_candidate) at_candidate();
  }
  void shape_done(const ShapeResult& result) override { done.push_back(result); }
  void worker_remark(std::size_t worker, const std::string& remark) override {
    remarks.push_back(fmt::format("{}: {}", worker, remark));
  }
  void worker_lost(std::size_t worker, const std::string& why) override {
    lost.push_back(fmt::format("{}: {}", worker, why));
  }
};

/// In memory where the system has such a place: thousands of trials are written, and no power cut is tested.
inline std::filesystem::path fast_folder() {
  const std::filesystem::path in_memory = "/dev/shm";
  return std::filesystem::is_directory(in_memory) ? in_memory : std::filesystem::temp_directory_path();
}

/// One run in a folder of its own, unless a test goes on in the same.
struct FakeRun {
  TemporaryFolder folder{fast_folder()};
  FakeWorld world{};
  TunePlan plan{};
  CountingObserver observer{};
  std::atomic<bool> stop{};
  std::size_t workers{1};

  FakeRun() {
    world.candidates = numbered_candidates(30);
    world.answer = mixed_answer;
    plan.shapes = shapes_of(3);
    plan.search = "screen";  // what it asks for is known beforehand
  }

  TuneReport run() { return run_with(fake_workers(world)); }

  TuneReport run_with(const WorkerFactory& factory) {
    TrialStore store = TrialStore::open(folder.store());
    return tune(plan, workers, factory, store, observer, stop);
  }
};

}  // namespace gemmtune
