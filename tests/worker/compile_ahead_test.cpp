#include "gemmtune/worker/compile_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

const Problem some_problem{.m = 4, .n = 8, .k = 32};
const DeviceInfo some_gpu{.kind = DeviceKind::cuda, .arch = "sm90"};

/// Candidate "toy_<text>_…" compiles that text, beside what all need.
class ToyFamily final : public KernelFamily {
 public:
  std::string_view name() const override { return "toy"; }
  std::string version() const override { return "1"; }
  std::string why_not(const Problem&, const DeviceInfo&) const override { return {}; }
  std::vector<Candidate> candidates(const Problem&, const DeviceInfo&) const override { return {}; }
  std::unique_ptr<PreparedGemm> make(const Problem&, const Candidate&, const DeviceInfo&) const override {
    return nullptr;
  }
  std::vector<KernelSource> kernels(const Problem&, const Candidate& candidate, const DeviceInfo&) const override {
    if (candidate.name == "toy_unknown") fail(ErrorCode::unsupported, "no such kernel");
    const auto text = "extern \"C\" __global__ void f() {} // " + candidate.name.substr(0, 5);
    return {{.name = "all.cu", .text = "extern \"C\" __global__ void all() {}", .arch = "sm90a"},
            {.name = "one.cu", .text = text, .arch = "sm90a"}};
  }
};

std::vector<Candidate> named(std::initializer_list<const char*> names) {
  std::vector<Candidate> candidates;
  for (const auto* name : names) candidates.push_back({.family = "toy", .name = name});
  return candidates;
}

class ListOnly final : public Evaluator {
 public:
  explicit ListOnly(std::vector<Candidate> candidates) : candidates_(std::move(candidates)) {}
  DeviceInfo device() override { return some_gpu; }
  std::vector<FamilySupport> supports(const Problem&) override { return {}; }
  std::vector<Candidate> candidates(const Problem&) override { return candidates_; }
  void evaluate(const Problem&, std::span<const Candidate>, const EvaluationPolicy&, EvaluationObserver&) override {}

 private:
  std::vector<Candidate> candidates_;
};

class CompileAheadTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / "gemmtune_compile_ahead";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    families_.push_back(std::make_unique<ToyFamily>());
    if (!compiler()) GTEST_SKIP() << KernelCompiler::why_not(DeviceKind::cuda);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::unique_ptr<KernelCompiler> compiler() const {
    return KernelCompiler::open(KernelCache(folder_ / "cache"), DeviceKind::cuda);
  }

  std::vector<std::string> to_compile(const std::vector<Candidate>& candidates) const {
    return names_to_compile(some_problem, some_gpu, candidates, families_, *compiler());
  }

  /// What each process was told, one line each, once there are so many.
  std::vector<std::string> told(std::size_t count) const {
    std::vector<std::string> lines;
    for (int tries = 0; tries < 1000 && lines.size() < count; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      lines.clear();
      std::ifstream file(folder_ / "told");
      for (std::string line; std::getline(file, line);) lines.push_back(line);
    }
    std::ranges::sort(lines);
    return lines;
  }

  CompileAhead ahead(std::vector<Candidate> candidates, std::size_t processes) {
    const auto script = "echo \"$*\" >> " + (folder_ / "told").string();
    return {std::make_unique<ListOnly>(std::move(candidates)),
            std::move(families_),
            compiler(),
            {.command = {"/bin/sh", "-c", script, "sh"}, .processes = processes}};
  }

  fs::path folder_;
  std::vector<std::unique_ptr<KernelFamily>> families_;
};

TEST_F(CompileAheadTest, EachKernelIsCompiledForOneCandidate) {
  EXPECT_THAT(to_compile(named({"toy_a", "toy_a_again", "toy_unknown", "toy_b"})), ElementsAre("toy_a", "toy_b"));
}

TEST_F(CompileAheadTest, WhatTheCacheHasIsNotCompiled) {
  for (const auto& source : ToyFamily().kernels(some_problem, named({"toy_a"})[0], some_gpu))
    EXPECT_FALSE(compiler()->compile(source).empty());
  EXPECT_THAT(to_compile(named({"toy_a", "toy_b"})), ElementsAre("toy_b"));
}

TEST_F(CompileAheadTest, CandidatesOfOthersAreLeftAlone) {
  EXPECT_THAT(to_compile({{.family = "elsewhere", .name = "toy_a"}}), IsEmpty());
}

TEST_F(CompileAheadTest, ProcessesShareAllButTheFirst) {
  auto evaluator = ahead(named({"toy_a", "toy_b", "toy_c", "toy_d"}), 2);
  EXPECT_EQ(evaluator.candidates(some_problem).size(), 4U);
  const auto start = "--problem " + to_string(some_problem) + " --arch sm90 --candidate ";
  EXPECT_THAT(told(2), ElementsAre(start + "toy_b toy_d", start + "toy_c"));
}

TEST_F(CompileAheadTest, ThereAreNoMoreProcessesThanWork) {
  auto evaluator = ahead(named({"toy_a", "toy_b"}), 8);
  static_cast<void>(evaluator.candidates(some_problem));
  EXPECT_EQ(told(1).size(), 1U);
}

TEST_F(CompileAheadTest, WithoutACompilerNothingIsStarted) {
  CompileAhead evaluator(std::make_unique<ListOnly>(named({"toy_a", "toy_b"})), std::move(families_), nullptr,
                         {.command = {"/nonexistent"}, .processes = 2});
  EXPECT_EQ(evaluator.candidates(some_problem).size(), 2U);
}

}  // namespace
}  // namespace gemmtune
