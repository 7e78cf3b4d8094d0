// What hosts say, read by the head: it may be anything.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gemmtune/core/error.h"
#include "gemmtune/fleet/bundle.h"
#include "gemmtune/fleet/device_list.h"
#include "gemmtune/fleet/host_report.h"
#include "gemmtune/fleet/probe.h"
#include "gemmtune/fleet/slurm.h"

namespace gemmtune {
namespace {

using testing::ElementsAre;

TEST(WordsOfHosts, AGpuIsIdleOrBusy) {
  const auto idle = gpu_use("0, NVIDIA H100 80GB HBM3, 550.54.15, 0, 4, 81559");
  EXPECT_EQ(idle.name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(idle.driver, "550.54.15");
  EXPECT_EQ(idle.use, "idle");
  EXPECT_EQ(gpu_use("1, X, 550, 97, 71000, 81559").use, "busy 97 %, 71000 of 81559 MiB");
  EXPECT_TRUE(gpu_use("1, X, 550, 0, 71000, 81559").is_busy);
  EXPECT_EQ(gpu_use("\x1b[2J").name, "\\x1b[2J");
}

TEST(WordsOfHosts, DevicesAreChosenAsTheProgramNamesThem) {
  const std::vector<FleetDevice> all{
      {.id = "cuda:0", .kind = "cuda"}, {.id = "cuda:1", .kind = "cuda"}, {.id = "cpu:0", .kind = "cpu"}};
  EXPECT_EQ(chosen_devices(all, {}).size(), 2U);
  EXPECT_THAT(chosen_devices(all, {"1"}), ElementsAre(all[1]));
  EXPECT_THAT(chosen_devices(all, {"cpu", "cuda:0"}), ElementsAre(all[2], all[0]));
  EXPECT_THROW(chosen_devices(all, {"cuda:2"}), Error);
  EXPECT_THAT(chosen_devices({all[2]}, {}), ElementsAre(all[2]));
}

TEST(WordsOfHosts, ADeviceListIsChecked) {
  const auto devices = parse_device_list(
      R"([{"id":"cuda:0","kind":"cuda","name":"H100","arch":"sm90","driver":"12.4","cu_num":132}])", "node");
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].cu_num, 132);
  for (const auto* text : {"", "[{}]", "{\"a\":1}", "[{\"id\":3}]"})
    EXPECT_THROW(parse_device_list(text, "node"), Error) << text;
}

TEST(WordsOfHosts, AReportHasJobsWithFilesAndLogs) {
  const auto report =
      parse_report({"gpu=0, X, 550, 0, 0, 1", "container=c img Up", "disk_free_kb=2048", "job=ab/3", "state=ended",
                    "exit=1", "of=4", "shapes=2", "file=table.csv 120 2026-01-02T03:04:05Z", "log=a = b", "job=ab/4",
                    "state=running", "shapes=0", "nonsense"});
  EXPECT_EQ(report.disk_free_mb, 2);
  EXPECT_THAT(report.containers, ElementsAre("c img Up"));
  ASSERT_EQ(report.jobs.size(), 2U);
  EXPECT_EQ(report.jobs[0].state, "ended with 1");
  EXPECT_EQ(report.jobs[0].shapes, 2);
  EXPECT_EQ(report.jobs[0].of, 4);
  EXPECT_EQ(report.jobs[0].files.at(0).bytes, 120);
  EXPECT_EQ(report.jobs[0].files.at(0).modified_utc, "2026-01-02T03:04:05Z");
  EXPECT_THAT(report.jobs[0].log, ElementsAre("a = b"));
  EXPECT_TRUE(report.jobs[1].is_running());
}

TEST(WordsOfHosts, LibrariesOfTheCLibraryStayAtHome) {
  EXPECT_THAT(
      libraries_to_carry("\tlinux-vdso.so.1 (0x7f)\n\tlibfmt.so.9 => /usr/lib/a b/libfmt.so.9 (0x7f)\n"
                         "\tlibc.so.6 => /lib/libc.so.6 (0x7f)\n\tlibstdc++.so.6 => /usr/lib/libstdc++.so.6 (0x7f)\n"
                         "\t/lib64/ld-linux-x86-64.so.2 (0x7f)\n"),
      ElementsAre("/usr/lib/a b/libfmt.so.9", "/usr/lib/libstdc++.so.6"));
  EXPECT_THROW(libraries_to_carry("\tlibfmt.so.9 => not found\n"), Error);
}

TEST(WordsOfHosts, TasksOfSlurm) {
  const auto tasks = parse_tasks({"12_[3-8]|PENDING||Resources", "12_2|RUNNING|n1|None", "x"});
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks[1], (SlurmTask{"12_2", "RUNNING", "n1", "None"}));
}

TEST(WordsOfHosts, AnArrayIsSubmittedWithItsFolderAsOneWord) {
  const auto command = sbatch_command(
      {.partition = "gpu", .options = {"--gres=gpu:1", "--job-name=mine"}, .limit_s = 7200},
      {.name = "gemmtune-1", .folder = "/a b/c", .tasks = "tasks-1", .count = 9, .excluded_nodes = {"n1", "n2"}});
  EXPECT_THAT(command, testing::IsSupersetOf({"--array=0-8", "--chdir=/a b/c", "--exclude=n1,n2", "--partition=gpu",
                                              "--gres=gpu:1", "--requeue", "--time=130"}));
  EXPECT_EQ(command[command.size() - 3], "--job-name=gemmtune-1");
  EXPECT_EQ(command[command.size() - 2], "/a b/c/slurm.sh");
  EXPECT_EQ(command.back(), "tasks-1");
}

}  // namespace
}  // namespace gemmtune
