// One timing of one kernel for one shape, from any file. Comparisons are made of these. It is not an Evaluation
// (space/evaluation.h): files of other tools contain less, and a measurement states where it was read.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/outcome.h"
#include "gemmtune/space/policy.h"

namespace gemmtune {

/// A kind of device as tables name it; "" and 0 if the file does not state it.
struct DeviceTag {
  std::string gfx{};
  std::int64_t cu_num{};

  auto operator<=>(const DeviceTag&) const = default;
  bool is_complete() const { return !gfx.empty() && cu_num > 0; }
};

/// The device as text: "gfx950/256", "?/80", or "" if nothing is known.
std::string to_string(const DeviceTag& device);

/// What is compared: timings of one shape on one kind of device.
struct ShapeId {
  DeviceTag device{};
  Problem problem{};
  bool types_known{true};  // otherwise only the problem's sizes count

  auto operator<=>(const ShapeId&) const = default;
};

/// The batch of everything in files that do not say what was timed together. Whoever compares such files knows.
inline constexpr const char* batch_of_files = "files";

struct Measurement {
  ShapeId shape{};
  std::string backend{};  // report/backend.h
  std::string kernel{};
  Outcome outcome{Outcome::ok};
  std::string reason{};  // for every outcome except ok
  double time_us{};
  double low_us{};  // 95 % confidence interval of the time; 0 if it is not known
  double high_us{};
  double err_ratio{};
  std::string batch{};       // kernels that were timed in turns have the same one: their times may be compared; "" for
                             // one that was timed alone, or only in a round of a race
  bool screened_only{};      // timed with few samples
  bool unproven{};           // of a store: right until it was timed, and not proven, so that it is no winner
  std::string reproducer{};  // a command, for failures that can be reproduced
  std::string where{};       // "file:line", "store#trial"

  bool has_interval() const { return low_us > 0 && high_us > 0; }
};

/// Everything that was read.
struct Readings {
  std::vector<Measurement> measurements{};
  std::vector<std::string> sources{};        // files that contained measurements
  std::vector<std::string> without_times{};  // files that are something else
  std::vector<std::string> notes{};          // files and lines that cannot be read, and assumptions
};

/// Appends `more` to `to`.
void append(Readings& to, Readings more);

}  // namespace gemmtune
