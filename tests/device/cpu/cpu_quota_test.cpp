#include "gemmtune/device/cpu/cpu_quota.h"

#include <gtest/gtest.h>

#include "fake_tree.h"

namespace gemmtune {
namespace {

TEST(CpuQuota, NothingWithoutLimits) {
  const FakeTree files;
  EXPECT_EQ(cpu_quota(files.tree()), std::nullopt);
  files.write("/sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_EQ(cpu_quota(files.tree()), std::nullopt);
}

TEST(CpuQuota, RoundsUpToWholeCpus) {
  const FakeTree files;
  files.write("/sys/fs/cgroup/cpu.max", "250000 100000\n");
  EXPECT_EQ(cpu_quota(files.tree()), 3);
}

TEST(CpuQuota, TheTightestGroupOnThePathCounts) {
  const FakeTree files;
  files.write("/proc/self/cgroup", "1:name=systemd:/x\n0::/a/b\n");
  files.write("/sys/fs/cgroup/a/b/cpu.max", "800000 100000\n");
  files.write("/sys/fs/cgroup/a/cpu.max", "200000 100000\n");
  files.write("/sys/fs/cgroup/c/cpu.max", "100000 100000\n");
  EXPECT_EQ(cpu_quota(files.tree()), 2);
}

TEST(CpuQuota, VersionOne) {
  const FakeTree files;
  files.write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  files.write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(cpu_quota(files.tree()), std::nullopt);
  files.write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "400000\n");
  EXPECT_EQ(cpu_quota(files.tree()), 4);
}

TEST(CpuQuota, NonsenseIsNoLimit) {
  const FakeTree files;
  for (const char* text : {"", "x y", "0 100000", "100000 0", "100000", "1 2 3"}) {
    files.write("/sys/fs/cgroup/cpu.max", text);
    EXPECT_EQ(cpu_quota(files.tree()), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace gemmtune
