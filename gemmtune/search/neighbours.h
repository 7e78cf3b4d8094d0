// What other shapes were tried with says of this one: kernels that were slow on half the rows are slow here too.
// Remembers times only; what is made of them is the forecast's business.
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

/// Of candidates of one shape: by how much the logarithm of their time lies above that of the fastest. Of those without
/// an entry nothing is known.
class Hearsay {
 public:
  /// Heard once more, with a weight above 0: entries are weighted means.
  void add(const CandidateKey& candidate, double log_time, double weight);

  /// Null where nothing was heard.
  const double* find(const Candidate& candidate) const;
  bool empty() const { return means_.empty(); }

 private:
  struct Mean {
    double weight{};
    double value{};
  };
  std::map<CandidateKey, Mean> means_{};
};

/// May be used by several threads at a time.
class Neighbours {
 public:
  /// The last time of a candidate counts. Times that are not positive are left out.
  void add(const Problem& problem, const TimedCandidate& candidate);

  /// From the nearest few shapes that differ from this one in nothing but M, N, K and batch; the nearer, the more a
  /// shape counts. Not from the shape itself.
  Hearsay about(const Problem& problem) const;

 private:
  mutable std::mutex mutex_;
  std::map<Problem, std::map<CandidateKey, double>> times_us_{};
};

}  // namespace gemmtune
