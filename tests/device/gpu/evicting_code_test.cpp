#include "gemmtune/device/gpu/evicting_code.h"

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/subprocess.h"

namespace gemmtune {
namespace {

namespace fs = std::filesystem;

TEST(EvictingCode, HasTheKernelsThatAreNamed) {
  const auto text = evicting_code();
  const auto names = evicting_kernels();
  EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
  for (const auto& name : names)
    EXPECT_NE(text.find(fmt::format(".visible .entry {}(", name)), std::string::npos) << name;
}

template <typename Value>
Value value_at(const std::string& bytes, std::size_t at) {
  Value value{};
  if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// The bytes of machine code of each kernel of a cubin.
std::map<std::string, std::size_t> code_sizes(const std::string& cubin) {
  std::map<std::string, std::size_t> sizes;
  const auto header = value_at<Elf64_Ehdr>(cubin, 0);
  const auto section = [&](std::size_t i) {
    return value_at<Elf64_Shdr>(cubin, header.e_shoff + i * header.e_shentsize);
  };
  const auto names = section(header.e_shstrndx).sh_offset;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const std::string name = cubin.c_str() + names + section(i).sh_name;
    if (name.starts_with(".text.")) sizes[name.substr(6)] = section(i).sh_size;
  }
  return sizes;
}

/// PTX compiled by ptxas, the toolkit's assembler; empty where there is none.
std::string assembled(const std::string& ptx, const std::string& arch) {
  std::string folder = (fs::temp_directory_path() / "gemmtune-test-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return "";
  const auto source = fs::path(folder) / "code.ptx";
  const auto cubin = fs::path(folder) / "code.cubin";
  std::ofstream(source) << ptx;
  std::string code;
  try {
    Subprocess ptxas({"ptxas", "-arch=" + arch, source.string(), "-o", cubin.string()});
    const auto ended = ptxas.wait(std::chrono::steady_clock::now() + std::chrono::minutes(2));
    EXPECT_TRUE(ended && *ended == ExitStatus{}) << ptxas.stderr_tail();
    code = read_file(cubin);
  } catch (const Error&) {
    code.clear();
  }
  fs::remove_all(folder);
  return code;
}

/// A compiler that saw that this code has no use would leave little of it. A Hopper multiprocessor caches 128 KiB of
/// instructions.
TEST(EvictingCode, IsAsLongAsMeantOnceItIsCompiled) {
  const auto cubin = assembled(evicting_code(), "sm_90");
  if (cubin.empty()) GTEST_SKIP() << "there is no ptxas on the PATH";
  const auto sizes = code_sizes(cubin);
  std::size_t sum = 0;
  for (const auto& name : evicting_kernels()) {
    ASSERT_TRUE(sizes.contains(name)) << name;
    sum += sizes.at(name);
  }
  EXPECT_GE(sum, std::size_t{512} << 10);
  EXPECT_LE(sum, std::size_t{576} << 10) << "takes longer than need be";
}

}  // namespace
}  // namespace gemmtune
