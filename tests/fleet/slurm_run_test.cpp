#include "gemmtune/fleet/slurm_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "gemmtune/core/files.h"
#include "gemmtune/shapes/shape_csv.h"

namespace gemmtune {
namespace {

namespace fs = std::filesystem;

Shape shape(std::int64_t m) {
  Shape made;
  made.problem = parse_problem("16x64x256:f32:f32:f32");
  made.problem.m = m;
  return made;
}

FleetPlan plan_of_two() {
  FleetPlan plan{.run = "ab", .identity = "same"};
  plan.hosts = {{.name = "slurm"}};
  plan.calibration_arguments = {"tune"};
  plan.shards = 2;
  return plan;
}

/// The folders of two shards, as tasks on two nodes leave them.
class SlurmRunTest : public testing::Test {
 protected:
  SlurmRunTest() {
    make_empty_folder(folder.path());
    write_file_atomically(folder.calibration(), shape_list_text({shape(16)}));
    folder.begin(plan, {{shape(16)}, {shape(32)}});
    run.place();
    run.begin();
  }
  ~SlurmRunTest() override { fs::remove_all(folder.path()); }

  void begin_task(std::int64_t shard, const std::string& node) const {
    write_file_atomically(run.work(shard) / "device", node + ".0\n");
    write_file_atomically(run.work(shard) / "node", node + "\n");
  }

  void end_task(std::int64_t shard, const std::string& code) const {
    write_file_atomically(run.work(shard) / "exit", code + "\n");
  }

  AttemptLog log_of(std::int64_t shard) const { return read_attempts(folder.attempts_of(shard)); }

  FleetPlan plan{plan_of_two()};
  RunFolder folder{fs::path(testing::TempDir()) / "gemmtune slurm's folder"};
  SlurmRun run{folder, plan};
};

TEST_F(SlurmRunTest, AnExitCodeThatIsSeenLateIsWaitedFor) {
  run.write_tasks({0, 1});
  begin_task(0, "n1");
  std::thread late([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    end_task(0, "0");
  });
  run.gather_remains({0, 1});
  late.join();
  ASSERT_EQ(log_of(0).tries.size(), 1U);
  EXPECT_EQ(log_of(0).state, ShardState::done);
  EXPECT_TRUE(log_of(1).tries.empty());  // it never began
}

TEST_F(SlurmRunTest, ATaskThatIsGoneWithoutAWordHasFailed) {
  run.write_tasks({0});
  begin_task(0, "n1");
  run.gather_remains({0});
  EXPECT_EQ(log_of(0).state, ShardState::pending);
  EXPECT_EQ(log_of(0).tries.at(0).verdict, to_string(JobVerdict::hosts_fault));
}

TEST_F(SlurmRunTest, WhatAFailedTryLeftIsTakenUpByTheNextProcess) {
  run.write_tasks({0});
  begin_task(0, "n1");
  end_task(0, "9");
  fs::create_directories(folder.shard(0));
  write_file_atomically(run.work(0) / "trials.db", "");
  fs::rename(run.work(0), folder.try_of(0, 1));
  SlurmRun next(folder, plan);
  next.begin();
  ASSERT_EQ(log_of(0).tries.size(), 1U);
  EXPECT_EQ(log_of(0).tries[0].store, "try-1/trials.db");
  EXPECT_EQ(next.devices().at(0).state.failures, 1);
}

TEST_F(SlurmRunTest, InputsOfCalibrationsThatTasksMayBeReadingAreLeftAlone) {
  const auto before = fs::last_write_time(folder.path() / "calibration" / "arguments.sh");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  SlurmRun(folder, plan).begin();
  EXPECT_EQ(fs::last_write_time(folder.path() / "calibration" / "arguments.sh"), before);
}

TEST_F(SlurmRunTest, TheNextProcessKnowsWhatEachDeviceHasDone) {
  run.write_tasks({0, 1});
  begin_task(0, "n1");
  end_task(0, "0");
  begin_task(1, "n2");
  end_task(1, "0");
  run.gather();
  SlurmRun next(folder, plan);
  next.begin();
  ASSERT_EQ(next.devices().size(), 2U);
  EXPECT_EQ(next.shapes_done(), 2);
  EXPECT_EQ(next.devices()[0].name, "n1.0");
  EXPECT_EQ(next.devices()[0].state.since_calibration, std::vector<std::int64_t>{0});
}

TEST_F(SlurmRunTest, TwoDevicesOfANodeHaveTheirOwnCalibrations) {
  for (const auto* name : {"n1.0", "n1.1"}) {
    const auto calibrated = folder.path() / "nodes" / name;
    fs::create_directories(calibrated);
    write_file_atomically(calibrated / "device", std::string(name) + "\n");
    write_file_atomically(calibrated / "node", "n1\n");
    write_file_atomically(calibrated / "exit", "4\n");
    write_file_atomically(calibrated / "log.txt", "no device\n");
  }
  run.gather();
  run.gather();
  ASSERT_EQ(run.devices().size(), 2U);
  EXPECT_EQ(run.nodes_set_aside(), std::vector<std::string>{"n1"});
}

}  // namespace
}  // namespace gemmtune
