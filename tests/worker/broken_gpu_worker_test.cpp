// On a machine with a GPU, the whole way: each planted fault of a kernel is caught, named, and costs itself alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "gemmtune/device/gpu/gpu_device.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/worker/remote_evaluator.h"
#include "tests/families/broken_gpu/broken_gpu_family.h"

namespace gemmtune {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

struct Record final : EvaluationObserver {
  void started(const Candidate&) override {}
  void evaluated(const Evaluation& evaluation) override {
    EXPECT_TRUE(evaluations.emplace(evaluation.candidate.name, evaluation).second) << "reported twice";
  }
  std::map<std::string, Evaluation> evaluations{};
};

class BrokenGpuWorker : public testing::TestWithParam<Stage> {
 protected:
  void SetUp() override {
    if (list_gpus().empty()) GTEST_SKIP() << "this machine has no GPU";
    if (!KernelCompiler::open(KernelCache(default_kernel_cache()), DeviceKind::cuda))
      GTEST_SKIP() << KernelCompiler::why_not(DeviceKind::cuda);
  }

  EvaluationPolicy policy() const {
    if (GetParam() == Stage::screen) return screen_policy();
    return GetParam() == Stage::confirm ? confirm_policy() : prove_policy();
  }

  /// The fault, and what is right after it.
  Evaluation evaluate(const std::string& fault) {
    Record record;
    const std::vector candidates{broken_gpu::candidate(fault), broken_gpu::candidate("right")};
    remote_.evaluate(parse_problem("200x300x264:bf16:bf16:bf16"), candidates, policy(), record);
    EXPECT_EQ(record.evaluations.size(), 2U);
    EXPECT_EQ(record.evaluations["right"].outcome, Outcome::ok) << record.evaluations["right"].reason;
    return record.evaluations[fault];
  }

  RemoteEvaluator remote_{{.command = {TEST_GPU_WORKER}, .candidate_timeout_s = 15}};
};

TEST_P(BrokenGpuWorker, WrongResultsAreNamed) {
  const auto unwritten = evaluate("unwritten_tile");
  EXPECT_EQ(unwritten.outcome, Outcome::wrong_result);
  EXPECT_THAT(unwritten.reason, HasSubstr("96 of 60000 elements were never written"));
  EXPECT_THAT(unwritten.reason, HasSubstr("rows 192 to 199, columns 288 to 299"));
  const auto k_tail = evaluate("k_tail");
  EXPECT_EQ(k_tail.outcome, Outcome::wrong_result);
  EXPECT_THAT(k_tail.reason, HasSubstr("further off than rounding explains"));
  EXPECT_EQ(remote_.statistics().starts, 1);
}

TEST_P(BrokenGpuWorker, AWriteOutOfBoundsIsNamed) {
  const auto evaluation = evaluate("writes_after_end");
  EXPECT_EQ(evaluation.outcome, Outcome::wrong_result);
  EXPECT_THAT(evaluation.reason, HasSubstr("wrote out of bounds: C: byte 1 after the end"));
  EXPECT_FALSE(evaluation.accuracy.guards_intact);
  EXPECT_EQ(remote_.statistics().starts, 1);
}

TEST_P(BrokenGpuWorker, AnIllegalAddressCostsTheProcess) {
  const auto evaluation = evaluate("illegal_address");
  EXPECT_EQ(evaluation.outcome, Outcome::launch_failed);
  EXPECT_THAT(evaluation.reason, HasSubstr("illegal"));
  EXPECT_EQ(remote_.statistics().starts, 2);
  EXPECT_EQ(remote_.statistics().timeouts, 0);
}

TEST_P(BrokenGpuWorker, AnEndlessLoopIsKilledInTheEnd) {
  const auto evaluation = evaluate("hang");
  EXPECT_EQ(evaluation.outcome, Outcome::timed_out);
  EXPECT_EQ(remote_.statistics().starts, 2);
  EXPECT_EQ(remote_.statistics().timeouts, 1);
}

INSTANTIATE_TEST_SUITE_P(Stages, BrokenGpuWorker, testing::Values(Stage::screen, Stage::confirm, Stage::prove),
                         [](const auto& each) { return std::string(to_string(each.param)); });

}  // namespace
}  // namespace gemmtune
