// One trial of one candidate: outcome, timing, accuracy, all as plain values. They travel through the worker protocol,
// into the trials store and out into tables and reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/space/candidate.h"
#include "gemmtune/space/outcome.h"

namespace gemmtune {

/// How thoroughly a candidate is examined.
enum class Stage : std::uint8_t {
  screen,   // checked once, timed with few samples
  confirm,  // full warm-up, interleaved with the other finalists, samples kept, checked before and after
  prove,    // a confirmed winner against adversarial operands
};

std::string_view to_string(Stage stage);
std::optional<Stage> parse_stage(std::string_view text);

/// Device time of one launch, in microseconds, over the samples taken. Everything is 0 when nothing was timed.
struct Timing {
  double median_us{};
  double min_us{};
  double mean_us{};
  double low_us{};  // 95 % confidence interval of the median (order statistics)
  double high_us{};
  double dispersion{};  // 1.4826 · MAD / median
  std::int64_t sample_count{};
  std::vector<double> samples_us{};   // finalists only
  std::vector<std::int64_t> turns{};  // how many of samples_us each turn took; empty: one turn, or samples not kept
  double pack_us{};                   // packing the weights, once
  std::int64_t packed_bytes{};        // what packed weights occupy
  std::int64_t workspace_bytes{};
  double clock_mhz{};  // 0 where the device does not tell
  bool throttled{};

  bool operator==(const Timing&) const = default;
};

/// What the candidate keeps in memory beside its operands: workspace and packed weights. The largest integer where the
/// sum is larger.
std::int64_t memory_bytes(const Timing& timing);

/// How the output compares with the reference. See verify/verifier.h.
struct Accuracy {
  double err_ratio{};             // share of elements with |ref-out| > atol + rtol·|out| (AITER's)
  double worst_error{};           // largest |ref-out|
  double worst_share_of_bound{};  // largest |ref-out| / bound of its element: above 1 is wrong
  std::int64_t unwritten{};       // elements that still hold the poison
  std::int64_t checked{};         // elements compared
  bool guards_intact{true};

  bool operator==(const Accuracy&) const = default;
};

/// Where the time of an evaluation went, in seconds.
struct Cost {
  double kernel_s{};     // warm-up and samples: the kernels themselves
  double prepare_s{};    // prepare and packing
  double operands_s{};   // drawing, copying and rotating operands
  double reference_s{};  // computing the reference
  double verify_s{};     // the checked launch and the comparison

  Cost& operator+=(const Cost& other) {
    kernel_s += other.kernel_s;
    prepare_s += other.prepare_s;
    operands_s += other.operands_s;
    reference_s += other.reference_s;
    verify_s += other.verify_s;
    return *this;
  }

  double total() const { return kernel_s + prepare_s + operands_s + reference_s + verify_s; }
  bool operator==(const Cost&) const = default;
};

struct Evaluation {
  Candidate candidate{};
  Stage stage{Stage::screen};
  Outcome outcome{Outcome::ok};
  std::string reason{};  // in words, for every outcome but ok
  Timing timing{};
  Accuracy accuracy{};
  Cost cost{};
  std::uint64_t seed{};  // of the operands; set by whoever asked for the evaluation, and by the store
};

/// Whether all of C was written, within bounds, and is only further off than it may be. Such a kernel does the work, so
/// that its time says something.
inline bool is_merely_inaccurate(const Evaluation& evaluation) {
  const auto& found = evaluation.accuracy;
  return evaluation.outcome == Outcome::wrong_result && found.checked > 0 && found.unwritten == 0 &&
         found.guards_intact;
}

}  // namespace gemmtune
