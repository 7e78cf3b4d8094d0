// Invented trials, with every field different from its default, and temporary folders.
#pragma once

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "gemmtune/core/error.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {

class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::string pattern = (parent / "gemmtune-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path store() const { return path_ / "trials.sqlite"; }

 private:
  std::filesystem::path path_;
};

inline Problem invented_problem(std::int64_t m = 64) { return parse_problem(fmt::format("{}x4096x512:a16w16", m)); }

inline Candidate invented_candidate(int number = 0) {
  return {.family = "toy",
          .name = fmt::format("toy_kc{}_avx2", number),
          .params = {{"kc", std::to_string(number)}, {"isa", "avx2"}},
          .split_k = 2,
          .library_id = 17};
}

inline Evaluation invented_evaluation(int number = 0, Stage stage = Stage::confirm) {
  Evaluation evaluation{.candidate = invented_candidate(number), .stage = stage};
  evaluation.timing = {.median_us = 10.1,
                       .min_us = 9.9,
                       .mean_us = 10.25,
                       .low_us = 10,
                       .high_us = 10.2,
                       .dispersion = 0.01,
                       .sample_count = 3,
                       .samples_us = {9.9, 10.1, 0.1 + 0.2},
                       .turns = {2, 1},
                       .pack_us = 77.5,
                       .packed_bytes = 4096,
                       .workspace_bytes = 128,
                       .clock_mhz = 2450,
                       .throttled = true};
  evaluation.accuracy = {.err_ratio = 0.001,
                         .worst_error = 0.5,
                         .worst_share_of_bound = 0.25,
                         .unwritten = 1,
                         .checked = 65536,
                         .guards_intact = false};
  evaluation.cost = {.kernel_s = 1.5, .prepare_s = 0.25, .operands_s = 0.125, .reference_s = 2, .verify_s = 3};
  return evaluation;
}

inline TrialContext invented_context(Stage stage = Stage::confirm) {
  TrialContext context{.family_version = "toy 1.2"};
  context.device = {.index = 1,
                    .name = "Invented CPU",
                    .arch = "x86-64-avx2",
                    .cu_num = 8,
                    .last_level_cache_bytes = 1 << 25,
                    .memory_bytes = 1LL << 36,
                    .features = {"avx2", "fma"},
                    .driver = "6.1",
                    .libraries = {{"onednn", "3.4"}, {"openblas", "0.3.21"}}};
  context.policy = stage == Stage::confirm ? confirm_policy() : screen_policy();
  context.policy.seed = 0xffff'ffff'ffff'fff0ULL;
  return context;
}

/// The code and the message of the Error that `work` throws. There is no code when it throws none.
struct Caught {
  std::optional<ErrorCode> code{};
  std::string message{};
};

template <typename Work>
Caught caught(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {};
}

}  // namespace gemmtune
