#include "gemmtune/device/cpu/cpu_memory.h"

#include <gtest/gtest.h>

#include "fake_tree.h"
#include "gemmtune/device/cpu/cpu_info.h"

namespace gemmtune {
namespace {

constexpr auto machine = "MemTotal:       16384 kB\nMemFree:  1 kB\n";

TEST(UsableMemory, IsThatOfTheMachineWithoutLimits) {
  const FakeTree files;
  EXPECT_EQ(usable_memory_bytes(files.tree()), 0);
  files.write("/proc/meminfo", machine);
  EXPECT_EQ(usable_memory_bytes(files.tree()), 16384 * 1024);
  files.write("/sys/fs/cgroup/memory.max", "max\n");
  files.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(usable_memory_bytes(files.tree()), 16384 * 1024);
}

TEST(UsableMemory, IsTheTightestLimitOnThePath) {
  const FakeTree files;
  files.write("/proc/meminfo", machine);
  files.write("/proc/self/cgroup", "0::/a/b\n");
  files.write("/sys/fs/cgroup/a/b/memory.max", "8388608\n");
  files.write("/sys/fs/cgroup/a/memory.max", "4194304\n");
  files.write("/sys/fs/cgroup/c/memory.max", "1\n");
  EXPECT_EQ(usable_memory_bytes(files.tree()), 4194304);
  EXPECT_EQ(read_cpu_info(files.tree()).memory_bytes, 4194304);
}

TEST(UsableMemory, KnowsVersionOne) {
  const FakeTree files;
  files.write("/proc/meminfo", machine);
  files.write("/proc/self/cgroup", "9:cpu,memory:/docker/ab\n1:name=systemd:/x\n");
  files.write("/sys/fs/cgroup/memory/docker/ab/memory.limit_in_bytes", "2097152\n");
  EXPECT_EQ(usable_memory_bytes(files.tree()), 2097152);
}

// A container sees its own group as the root of the mount, under a path that it does not see.
TEST(UsableMemory, KnowsContainers) {
  const FakeTree files;
  files.write("/proc/meminfo", machine);
  files.write("/proc/self/cgroup", "9:memory:/docker/ab\n0::/\n");
  files.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1048576\n");
  EXPECT_EQ(usable_memory_bytes(files.tree()), 1048576);
}

TEST(UsableMemory, MayBeMoreThanTheMachineHasOnPaperOnly) {
  const FakeTree files;
  files.write("/proc/meminfo", machine);
  files.write("/sys/fs/cgroup/memory.max", "1099511627776\n");
  EXPECT_EQ(usable_memory_bytes(files.tree()), 16384 * 1024);
}

TEST(MemoryKills, AreThoseOfTheOwnGroup) {
  const FakeTree files;
  EXPECT_EQ(memory_kills(files.tree()), 0);
  files.write("/sys/fs/cgroup/memory/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
  EXPECT_EQ(memory_kills(files.tree()), 2);
  files.write("/proc/self/cgroup", "0::/a\n");
  files.write("/sys/fs/cgroup/a/memory.events", "low 0\noom 7\noom_kill 3\noom_group_kill 0\n");
  EXPECT_EQ(memory_kills(files.tree()), 3);
}

}  // namespace
}  // namespace gemmtune
