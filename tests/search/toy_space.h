// Invented candidates and outcomes for strategies: no kernel, no clock.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "gemmtune/search/strategy.h"

namespace gemmtune {

inline std::vector<Candidate> toy_candidates(std::size_t count) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < count; ++i) candidates.push_back({.family = "toy", .name = fmt::format("toy_{:04}", i)});
  return candidates;
}

inline Evaluation timed(const Candidate& candidate, Stage stage, double time_us) {
  Evaluation evaluation{.candidate = candidate, .stage = stage};
  evaluation.timing.median_us = time_us;
  evaluation.timing.low_us = time_us * 0.999;
  evaluation.timing.high_us = time_us * 1.001;
  evaluation.timing.sample_count = 3;
  return evaluation;
}

inline Evaluation failed(const Candidate& candidate, Stage stage, Outcome outcome) {
  return {.candidate = candidate, .stage = stage, .outcome = outcome, .reason = "invented"};
}

/// Wrong by some elements, and timed where the right ones are confirmed.
inline Evaluation imprecise(const Candidate& candidate, Stage stage, double time_us) {
  auto evaluation = failed(candidate, stage, Outcome::wrong_result);
  evaluation.accuracy.checked = 100;
  if (stage == Stage::confirm) evaluation.timing.median_us = time_us;
  return evaluation;
}

/// What is asked, batch by batch, when each candidate's evaluation comes from `answer`. Stops after `most_batches`.
using Answer = std::function<Evaluation(const Candidate&, Stage)>;

inline std::vector<Batch> play(Strategy& strategy, const Answer& answer, std::size_t most_batches = 10'000) {
  std::vector<Batch> asked;
  while (asked.size() < most_batches) {
    Batch batch = strategy.ask();
    if (batch.empty()) break;
    for (const Candidate& candidate : batch.candidates) strategy.tell(answer(candidate, batch.stage));
    asked.push_back(std::move(batch));
  }
  return asked;
}

}  // namespace gemmtune
