// What the tests of the stages share: problems, an evaluator with the broken family, and an observer that remembers.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "gemmtune/device/cpu/cpu_device.h"
#include "gemmtune/evaluate/local_evaluator.h"
#include "tests/families/broken/broken_family.h"

namespace gemmtune {

struct Remembered final : EvaluationObserver {
  std::vector<Candidate> starts{};
  std::vector<Evaluation> evaluations{};

  void started(const Candidate& candidate) override { starts.push_back(candidate); }
  void evaluated(const Evaluation& evaluation) override { evaluations.push_back(evaluation); }
};

/// A CPU that claims a small cache, so that few sets make a rotation.
inline std::unique_ptr<Device> small_cpu() {
  auto info = open_device("cpu")->info();
  info.last_level_cache_bytes = 128 * 1024;
  return make_cpu_device(std::move(info));
}

inline LocalEvaluator broken_evaluator() {
  std::vector<std::unique_ptr<KernelFamily>> families;
  families.push_back(broken::make_family());
  return {small_cpu(), std::move(families)};
}

/// f32 with odd sizes, bf16 with bias, int8 with scales, MXFP4 with packed weights, fp8 blocks in a batch. K is at
/// least 128, as "drops_one_sign" needs.
inline std::vector<std::string> problem_texts() {
  return {"33x47x130:f32:f32:f32", "40x64x128:bf16:bf16:bf16:bias", "32x48x192:int8/row:int8/row:bf16",
          "32x64x256:e2m1/1x32:e2m1/1x32:bf16:packed", "17x40x256:e4m3/1x128:e4m3/128x128:fp16:batch=2"};
}

inline std::string problem_label(const std::string& text) {
  std::string label = text;
  std::replace_if(
      label.begin(), label.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return label;
}

}  // namespace gemmtune
