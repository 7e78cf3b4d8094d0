// What a device did with each candidate of some shapes: enough to try out a search without the device. It does not
// replace the trials store, which keeps much more.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/device/device_info.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/measure/samples.h"
#include "gemmtune/space/evaluation.h"

namespace gemmtune {

struct RecordedCandidate {
  Candidate candidate{};
  Outcome outcome{Outcome::ok};
  Stage failed_at{Stage::screen};  // when it failed
  std::int64_t memory_bytes{};     // packed weights and workspace
  double overhead_us{};            // of one evaluation beside its kernels: preparing and verifying
  std::vector<double> screen_us{};
  Samples confirm{};  // empty when it was not confirmed; no turns where they are not known

  bool operator==(const RecordedCandidate&) const = default;
};

/// The candidates stand in their families' order. The first is the default choice: what users have without tuning.
struct RecordedShape {
  DeviceKind kind{DeviceKind::cpu};
  std::string device{};
  Problem problem{};
  std::vector<RecordedCandidate> candidates{};
};

using Recording = std::vector<RecordedShape>;

/// A CSV text with one line for each candidate: device_kind, device, problem, family, candidate, params, split_k,
/// memory_bytes, failed ("screen wrong_result"), overhead_us, screen_us and confirm_us (samples, with blanks between,
/// and " | " between turns).
std::string recording_text(const Recording& recording);

/// Throws Error{input} with file, line and column of what cannot be read.
Recording parse_recording(std::string_view text, const std::string& source);

/// Files whose names end in .xz are compressed.
Recording read_recording(const std::filesystem::path& path);
void write_recording(const std::filesystem::path& path, const Recording& recording);

/// Gives samples of a confirmation to candidates that were screened but not confirmed. They are those of a confirmed
/// candidate of the same shape, scaled by the ratio of the two in screening, so that they have its noise and drift. In
/// a shape without any confirmed candidate, the samples of screening are used.
RecordedShape with_all_confirmed(RecordedShape shape);

}  // namespace gemmtune
