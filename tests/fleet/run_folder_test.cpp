#include "gemmtune/fleet/run_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "gemmtune/core/error.h"
#include "gemmtune/shapes/tuning_cost.h"

namespace gemmtune {
namespace {

std::vector<Shape> shapes(std::int64_t count) {
  std::vector<Shape> all;
  for (std::int64_t i = 1; i <= count; ++i) {
    Shape shape;
    shape.problem = parse_problem("16x64x256:f32:f32:f32");
    shape.problem.m = 16 * i * i;
    all.push_back(shape);
  }
  return all;
}

double cost_of(const std::vector<Shape>& shard) {
  double seconds = 0;
  for (const auto& shape : shard) seconds += rough_tuning_seconds(shape.problem);
  return seconds;
}

TEST(Shards, AreManyMoreThanDevicesAndHoldEveryShapeOnce) {
  const auto all = shapes(200);
  const auto shards = make_shards(all, 3, 1e9);
  EXPECT_GE(shards.size(), 15U);
  std::map<Problem, int> seen;
  for (const auto& shard : shards)
    for (const auto& shape : shard) ++seen[shape.problem];
  EXPECT_EQ(seen.size(), all.size());
  EXPECT_TRUE(std::ranges::all_of(seen, [](const auto& entry) { return entry.second == 1; }));
}

TEST(Shards, BecomeSmallerTowardsTheEnd) {
  const std::vector<Shape> equal(200, shapes(1)[0]);
  const auto shards = make_shards(equal, 2, 1e9);
  EXPECT_EQ(shards.front().size(), 50U);
  for (std::size_t i = 1; i < shards.size(); ++i) EXPECT_LE(shards[i].size(), shards[i - 1].size() + 1) << i;
  EXPECT_LE(shards[shards.size() - 2].size(), 7U);
}

TEST(Shards, AreAtMostAsManyAsShapesAndAsLongAsAskedFor) {
  EXPECT_LE(make_shards(shapes(5), 3, 600).size(), 5U);
  EXPECT_EQ(make_shards(shapes(1), 3, 600).size(), 1U);
  EXPECT_TRUE(make_shards({}, 3, 600).empty());
  const auto all = shapes(100);
  const double longest_shape = rough_tuning_seconds(all.back().problem);
  for (const auto& shard : make_shards(all, 1, 2 * longest_shape)) EXPECT_LE(cost_of(shard), 3 * longest_shape);
}

class RunFolderTest : public testing::Test {
 protected:
  RunFolderTest() {
    make_empty_folder(folder.path());
    plan.hosts = {{.name = "a b", .address = "x", .environment = {{"A", "it's"}}}};
    plan.slots = {{.host = 0, .device = "cuda:1", .arch = "sm90", .cu_num = 132}};
    plan.identity = "same";
    plan.arguments = {"tune", "it's"};
    plan.shards = 2;
    folder.begin(plan, {{shapes(1)[0]}, {shapes(2)[1]}});
  }
  ~RunFolderTest() override { std::filesystem::remove_all(folder.path()); }

  FleetPlan plan;
  RunFolder folder{std::filesystem::path(testing::TempDir()) / "gemmtune run's folder"};
};

TEST_F(RunFolderTest, KeepsThePlan) {
  const auto read = read_plan(folder.plan());
  EXPECT_EQ(read.hosts, plan.hosts);
  EXPECT_EQ(read.slots, plan.slots);
  EXPECT_EQ(read.arguments, plan.arguments);
  EXPECT_EQ(read.name_of(read.slots[0]), "a b cuda:1");
}

TEST_F(RunFolderTest, APlanWhoseDeviceIsOnNoHostIsNone) {
  plan.slots[0].host = 1;
  write_plan(folder.plan(), plan);
  EXPECT_THROW((void)read_plan(folder.plan()), Error);
}

TEST_F(RunFolderTest, IsTakenUpByTheSameRunUntilAllIsDone) {
  EXPECT_TRUE(folder.has_unfinished("same"));
  EXPECT_FALSE(folder.has_unfinished("another"));
  write_attempts(folder.attempts_of(0), {.state = ShardState::done});
  folder.note_finished(0);
  EXPECT_TRUE(folder.has_unfinished("same"));
  EXPECT_EQ(folder.unfinished(plan), std::vector<std::int64_t>{1});
  write_attempts(folder.attempts_of(1), {.state = ShardState::failed});
  EXPECT_FALSE(folder.has_unfinished("same"));  // also if a process was killed before it marked the shard
  EXPECT_TRUE(folder.unfinished(plan).empty());
}

TEST_F(RunFolderTest, AShardThatIsDoubtedIsDoneAgainAndReusesNothing) {
  write_attempts(folder.attempts_of(1),
                 {.state = ShardState::done, .tries = {{.host = "a b", .store = "try-1/trials.db"}}});
  folder.note_finished(1);
  folder.doubt(1);
  EXPECT_EQ(folder.unfinished(plan).size(), 2U);
  const auto log = read_attempts(folder.attempts_of(1));
  EXPECT_EQ(log.state, ShardState::pending);
  EXPECT_TRUE(log.is_fresh);
  EXPECT_EQ(log.tries.at(0).store, "");
}

TEST_F(RunFolderTest, KeepsTheStateOfADevice) {
  EXPECT_EQ(read_slot(folder.slot(0)).set_aside, "");
  write_slot(folder.slot(0),
             {.set_aside = "it's off", .calibrations = {{1, 2.5}}, .since_calibration = {1}, .shapes_done = 7});
  const auto state = read_slot(folder.slot(0));
  EXPECT_EQ(state.set_aside, "it's off");
  EXPECT_EQ(state.calibrations, (std::vector<Calibration>{{1, 2.5}}));
  EXPECT_EQ(state.since_calibration, std::vector<std::int64_t>{1});
  EXPECT_EQ(state.shapes_done, 7);
}

}  // namespace
}  // namespace gemmtune
