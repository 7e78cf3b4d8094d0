#include "gemmtune/evaluate/workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "gemmtune/gemm/numeric.h"
#include "gemmtune/verify/reference.h"

namespace gemmtune {
namespace {

class WorkloadTest : public testing::Test {
 protected:
  std::unique_ptr<Device> device_ = open_device("cpu");
  std::unique_ptr<Examiner> examiner_ = make_examiner(*device_);
  WorkloadKey key_{.problem = parse_problem("8x48x128:int8/row:int8/row:bf16:bias"), .seed = 7};
  Cost cost_{};
  Workload workload_{*device_, *examiner_, key_, cost_};
};

TEST_F(WorkloadTest, ChargesForOperandsAndReference) {
  EXPECT_GT(cost_.operands_s, 0);
  EXPECT_GT(cost_.reference_s, 0);
  EXPECT_EQ(cost_.total(), cost_.operands_s + cost_.reference_s);
}

TEST_F(WorkloadTest, AChangedInputIsNamedAndRestored) {
  workload_.grow(3);
  workload_.sets().copy_weights();
  const auto& inputs = workload_.sets().inputs();
  EXPECT_EQ(workload_.changed_input(), "");
  const std::pair<const Buffer*, std::string> named[] = {{&inputs.a, "A"},
                                                         {&inputs.a_scale, "the scales of A"},
                                                         {&inputs.w, "the weights"},
                                                         {&inputs.w_scale, "the scales of the weights"},
                                                         {&inputs.bias, "the bias"}};
  for (const auto& [buffer, name] : named) {
    *buffer->data() ^= std::byte{4};
    EXPECT_EQ(workload_.changed_input(), name);
    workload_.restore();
    EXPECT_EQ(workload_.changed_input(), "");
  }
}

TEST_F(WorkloadTest, GuardsOfAllSetsAreLookedAtAndRestored) {
  workload_.grow(3);
  EXPECT_EQ(workload_.broken_guard(), "");
  *(workload_.sets().c(2).data() - 1) = std::byte{};
  EXPECT_NE(workload_.broken_guard(), "");
  workload_.restore();
  EXPECT_EQ(workload_.broken_guard(), "");
}

TEST_F(WorkloadTest, APoisonedOutputIsJudgedUnwritten) {
  workload_.grow(2);
  workload_.poison(0);
  for (const std::size_t set : {0, 1}) {
    const auto verdict = workload_.judge(set);
    EXPECT_EQ(verdict.accuracy.unwritten, 8 * 48) << set;
    EXPECT_NE(verdict.why_wrong, "") << set;
  }
}

TEST_F(WorkloadTest, AnInputOfAnyOtherSetIsLookedAtInTime) {
  workload_.grow(3);
  *workload_.sets().inputs(2).a.data() ^= std::byte{4};
  int looks = 0;
  while (looks < 1000 && workload_.changed_input().empty()) ++looks;
  EXPECT_LT(looks, 1000);
  workload_.restore();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(workload_.changed_input(), "");
}

TEST_F(WorkloadTest, ThePoisonIsAnotherOneEachTime) {
  std::set<std::uint16_t> patterns;
  for (int i = 0; i < 30; ++i) {
    workload_.poison(0);
    EXPECT_EQ(workload_.judge(0).accuracy.unwritten, 8 * 48);
    std::uint16_t pattern = 0;
    std::memcpy(&pattern, workload_.sets().c(0).data(), sizeof pattern);
    patterns.insert(pattern);
  }
  EXPECT_GT(patterns.size(), 15U);
}

/// Multiplies a set's operands as they stand, by the reference itself.
void put_right_output(Workload& workload, std::size_t set) {
  const auto operands = workload.sets().operands(set);
  const auto reference = compute_reference(workload.key().problem, operands, {}, 0);
  for (std::size_t i = 0; i < reference.values.size(); ++i) {
    const auto bits = float_to_bf16(static_cast<float>(reference.values[i]));
    std::memcpy(workload.sets().c(set).data() + 2 * i, &bits, sizeof bits);
  }
}

TEST_F(WorkloadTest, WhatIsRightFollowsTheSignsOfTheOperands) {
  workload_.grow(3);
  workload_.sets().copy_weights();
  for (const std::size_t set : {0, 2}) {
    put_right_output(workload_, set);
    EXPECT_EQ(workload_.judge(set).why_wrong, "");
    for (const auto input : {&Inputs::a, &Inputs::w}) {
      workload_.negate(input, set, cost_);
      EXPECT_NE(workload_.judge(set).why_wrong, "") << "the output before the change";
      put_right_output(workload_, set);
      EXPECT_EQ(workload_.judge(set).why_wrong, "");
    }
    workload_.negate(&Inputs::a, set, cost_);
    workload_.bring_back(set);
    EXPECT_EQ(workload_.judge(set).why_wrong, "") << "both signs are back";
    for (int i = 0; i < 20; ++i) EXPECT_EQ(workload_.changed_input(), "");
  }
}

TEST_F(WorkloadTest, TheSecondReferenceIsPaidForOnce) {
  Cost first;
  workload_.negate(&Inputs::a, 0, first);
  EXPECT_GT(first.reference_s, 0);
  Cost second;
  workload_.bring_back(0);
  workload_.negate(&Inputs::w, 0, second);
  EXPECT_EQ(second.reference_s, 0);
}

TEST_F(WorkloadTest, DrawsOtherSetsEachTime) {
  std::set<std::vector<std::size_t>> orders;
  for (int i = 0; i < 10; ++i) {
    auto sets = workload_.shuffled(20);
    orders.insert(sets);
    std::ranges::sort(sets);
    for (std::size_t set = 0; set < 20; ++set) EXPECT_EQ(sets[set], set);
  }
  EXPECT_EQ(orders.size(), 10U);
}

/// Judges C of ones in each set; the first rows that are named are those that were compared.
std::vector<std::string> first_wrong(Workload& workload) {
  std::vector<std::string> named;
  for (std::size_t set = 0; set < workload.sets().count(); ++set) {
    auto& c = workload.sets().c(set);
    std::fill_n(reinterpret_cast<float*>(c.data()), c.size() / sizeof(float), 1e30F);
    const auto why = workload.judge(set).why_wrong;
    named.push_back(why.substr(0, why.find(';')));
  }
  return named;
}

TEST(WorkloadSamples, AreOthersInEachStageAndInTheFirstSet) {
  const auto device = open_device("cpu");
  WorkloadCache cache(*device);
  WorkloadKey key{.problem = parse_problem("320x32x32:f32:f32:f32"), .verify = {.full_reference_flops = 1}};
  std::set<std::string> first;
  for (const auto stage : {Stage::screen, Stage::confirm, Stage::prove}) {
    key.stage = stage;
    Cost cost;
    auto& workload = cache.get(key, cost);
    workload.grow(3);
    const auto named = first_wrong(workload);
    EXPECT_NE(named[0], named[1]);
    EXPECT_EQ(named[1], named[2]);
    EXPECT_EQ(first_wrong(workload), named);
    EXPECT_EQ(cost.operands_s > 0, stage == Stage::screen) << "operands are drawn once";
    EXPECT_GT(cost.reference_s, 0);
    first.insert(named[0]);
    first.insert(named[1]);
  }
  EXPECT_GE(first.size(), 5U);
}

TEST(WorkloadSamples, AreNoneWhereAllOfCIsCompared) {
  const auto device = open_device("cpu");
  WorkloadCache cache(*device);
  WorkloadKey key{.problem = parse_problem("320x32x32:f32:f32:f32")};
  Cost cost;
  cache.get(key, cost);
  key.stage = Stage::prove;
  Cost none;
  EXPECT_EQ(cache.get(key, none).key(), key);
  EXPECT_EQ(none.operands_s, 0);
}

TEST(WorkloadCache, KeepsTheLastOne) {
  const auto device = open_device("cpu");
  WorkloadCache cache(*device);
  const WorkloadKey key{.problem = parse_problem("2x2x2:f32:f32:f32")};
  Cost first;
  const auto* workload = &cache.get(key, first);
  Cost again;
  EXPECT_EQ(&cache.get(key, again), workload);
  EXPECT_EQ(again, Cost{});
  auto other = key;
  other.seed = 1;
  EXPECT_EQ(cache.get(other, again).key(), other);
}

/// An allocator would give the memory of the last operands to the next ones.
TEST_F(WorkloadTest, OperandsOfAnotherSeedLieElsewhere) {
  WorkloadCache cache(*device_);
  std::set<const std::byte*> places;
  for (std::uint64_t placement = 0; placement < 2; ++placement) {
    key_.seed = 7 + 1000 * placement;
    const auto& inputs = cache.get(key_, cost_).sets().inputs();
    places.insert({inputs.a.data(), inputs.w.data()});
  }
  EXPECT_EQ(places.size(), 4U);
}

}  // namespace
}  // namespace gemmtune
