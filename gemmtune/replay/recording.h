// What a device once did with each candidate of some shapes: enough to try a search on, without the device. Not a
// replacement for the trials store, which keeps much more.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/device/device_info.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/evaluation.h"

namespace gemmtune {

struct RecordedCandidate {
  Candidate candidate{};
  Outcome outcome{Outcome::ok};
  Stage failed_at{Stage::screen};  // when it failed
  std::int64_t memory_bytes{};     // packed weights and workspace
  double overhead_us{};            // of one evaluation, beside the kernels: preparing and verifying
  std::vector<double> screen_us{};
  std::vector<double> confirm_us{};  // empty: it was not confirmed

  bool operator==(const RecordedCandidate&) const = default;
};

/// The candidates stand in their family's order; the first is what users have without tuning.
struct RecordedShape {
  DeviceKind kind{DeviceKind::cpu};
  std::string device{};
  Problem problem{};
  std::vector<RecordedCandidate> candidates{};
};

using Recording = std::vector<RecordedShape>;

/// A CSV, one line for each candidate: device_kind, device, problem, family, candidate, params, split_k, memory_bytes,
/// failed ("screen wrong_result"), overhead_us, screen_us and confirm_us (samples, with blanks between).
std::string recording_text(const Recording& recording);

/// Throws Error{input} with the place of what cannot be read.
Recording parse_recording(std::string_view text, const std::string& source);

/// Compressed where the name ends in .xz.
Recording read_recording(const std::filesystem::path& path);
void write_recording(const std::filesystem::path& path, const Recording& recording);

/// Those that were screened and not confirmed get samples as confirming would have taken: those of a confirmed one of
/// the same shape, scaled by how the two compared in screening. With that they have its noise and its drift.
/// A shape of which nothing was confirmed keeps to what screening saw.
RecordedShape with_all_confirmed(RecordedShape shape);

}  // namespace gemmtune
