// Times of candidates on other shapes: a kernel that was slow on half as many rows is likely slow here too. This only
// remembers times; the search decides what to do with them.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/candidate.h"

namespace gemmtune {

struct TimedCandidate {
  std::string family{};
  std::string name{};
  double time_us{};
};

using CandidateKey = std::pair<std::string, std::string>;  // family, name

/// How far candidates were behind the fastest on similar shapes, as a difference of logarithms of time. Nothing is
/// known of candidates without an entry.
class Hearsay {
 public:
  /// Adds one more observation with a weight above 0. An entry is the weighted mean of its observations.
  void add(const CandidateKey& candidate, double log_time, double weight);

  /// Null where nothing is known.
  const double* find(const Candidate& candidate) const;
  bool empty() const { return means_.empty(); }

 private:
  struct Mean {
    double weight{};
    double value{};
  };
  std::map<CandidateKey, Mean> means_{};
};

/// Safe for use by several threads at a time.
class Neighbours {
 public:
  /// A later time of a candidate replaces an earlier one. Times that are not positive are ignored.
  void add(const Problem& problem, const TimedCandidate& candidate);

  /// What the nearest few shapes tell that differ from this one only in M, N, K and batch; nearer shapes count more.
  /// The shape itself is left out.
  Hearsay about(const Problem& problem) const;

 private:
  mutable std::mutex mutex_;
  std::map<Problem, std::map<CandidateKey, double>> times_us_{};
};

}  // namespace gemmtune
