#include "gemmtune/device/cpu/cpu_info.h"

#include <gtest/gtest.h>

#include "fake_tree.h"

namespace gemmtune {
namespace {

using Features = std::vector<std::string>;

constexpr auto milan =
    "processor\t: 0\nmodel name\t: AMD EPYC\ncache size\t: 512 KB\nflags\t\t: fpu sse2 fma f16c avx2 smep\n";

TEST(ArithmeticFeatures, KeepsWhatCounts) {
  EXPECT_EQ(arithmetic_features(milan), (Features{"fma", "f16c", "avx2"}));
  EXPECT_EQ(arithmetic_features("Features\t: fp asimd evtstrm asimddp i8mm\n"), (Features{"asimd", "asimddp", "i8mm"}));
  EXPECT_EQ(arithmetic_features(""), (Features{}));
}

TEST(CpuArch, IsTheHighestWholeLevel) {
  const Features avx2{"avx2", "fma", "f16c"};
  Features wide = avx2;
  wide.insert(wide.end(), {"avx512f", "avx512bw", "avx512vl"});
  Features vnni = wide;
  vnni.emplace_back("avx512_vnni");
  Features bf16 = vnni;
  bf16.emplace_back("avx512_bf16");
  Features amx = bf16;
  amx.insert(amx.end(), {"amx_tile", "amx_int8", "amx_bf16"});
  EXPECT_EQ(cpu_arch("x86_64", {}), "x86-64");
  EXPECT_EQ(cpu_arch("x86_64", {"avx2"}), "x86-64");
  EXPECT_EQ(cpu_arch("x86_64", avx2), "x86-64-avx2");
  EXPECT_EQ(cpu_arch("x86_64", wide), "x86-64-avx512");
  EXPECT_EQ(cpu_arch("x86_64", vnni), "x86-64-avx512_vnni");
  EXPECT_EQ(cpu_arch("x86_64", bf16), "x86-64-avx512_bf16");
  EXPECT_EQ(cpu_arch("x86_64", amx), "x86-64-amx");
  EXPECT_EQ(cpu_arch("x86_64", {"avx2", "fma", "f16c", "avx_vnni"}), "x86-64-avx_vnni");
  EXPECT_EQ(cpu_arch("aarch64", {"asimd"}), "aarch64");
  EXPECT_EQ(cpu_arch("aarch64", {"asimd", "sve", "sve2"}), "aarch64-sve2");
  EXPECT_EQ(cpu_arch("riscv64", {}), "riscv64");
}

void write_cache(const FakeTree& files, const std::string& where, const std::string& level, const std::string& shared) {
  files.write("/sys/devices/system/cpu/" + where + "/level", level + "\n");
  files.write("/sys/devices/system/cpu/" + where + "/size", level == "3" ? "32768K\n" : "512K\n");
  files.write("/sys/devices/system/cpu/" + where + "/shared_cpu_list", shared + "\n");
}

TEST(LastLevelCache, CountsEachSharedCacheOnce) {
  const FakeTree files;
  for (const std::string cpu : {"cpu0", "cpu1", "cpu2"}) {
    write_cache(files, cpu + "/cache/index0", "1", cpu.substr(3));
    write_cache(files, cpu + "/cache/index1", "3", cpu == "cpu2" ? "2-3" : "0-1");
  }
  EXPECT_EQ(last_level_cache_bytes(files.tree(), {0, 1}), 32 << 20);
  EXPECT_EQ(last_level_cache_bytes(files.tree(), {0, 1, 2}), 64 << 20);
  EXPECT_EQ(last_level_cache_bytes(files.tree(), {7}), 0);
}

TEST(ReadCpuInfo, PutsTheFilesTogether) {
  const FakeTree files;
  files.write("/proc/cpuinfo", milan);
  files.write("/proc/meminfo", "MemTotal:       16384 kB\nMemFree:  1 kB\n");
  const DeviceInfo info = read_cpu_info(files.tree());
  EXPECT_EQ(info.kind, DeviceKind::cpu);
  EXPECT_EQ(info.name, "AMD EPYC");
  EXPECT_EQ(info.memory_bytes, 16384 * 1024);
  EXPECT_EQ(info.last_level_cache_bytes, 512 * 1024);
  EXPECT_EQ(info.cu_num, static_cast<std::int64_t>(allowed_cpus().size()));
  EXPECT_FALSE(info.driver.empty());
  EXPECT_TRUE(info.libraries.empty());
}

TEST(ReadCpuInfo, QuotaLowersTheCores) {
  const FakeTree files;
  files.write("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(read_cpu_info(files.tree()).cu_num, 1);
}

TEST(ReadCpuInfo, ThisMachineIsDescribed) {
  const DeviceInfo info = read_cpu_info(SystemTree{});
  EXPECT_FALSE(info.name.empty());
  EXPECT_FALSE(info.arch.empty());
  EXPECT_GE(info.cu_num, 1);
  EXPECT_GT(info.memory_bytes, 0);
}

}  // namespace
}  // namespace gemmtune
