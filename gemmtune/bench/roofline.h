// The most that a device can reach: how fast it copies, and how fast it multiplies in each type. `gemmtune bench
// roofline` (bench/peaks.h) measures it once, and a file keeps it (bench/roofline_file.h).
#pragma once

#include <map>
#include <optional>
#include <string>

#include "gemmtune/device/device_info.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// The fastest kernel of any family on a large square problem.
struct MatrixPeak {
  double tflops{};
  Problem problem{};
  std::string kernel{};
  std::string date{};  // in UTC

  bool operator==(const MatrixPeak&) const = default;
};

struct Roofline {
  std::string device_name{};
  std::string arch{};
  std::int64_t cu_num{};
  std::string driver{};
  std::string date{};                         // when copies were measured, in UTC
  double copy_gbps{};                         // bytes read and written; 0 if it was not measured
  std::map<std::string, MatrixPeak> peaks{};  // by the operands' types, see peak_key()

  bool operator==(const Roofline&) const = default;
};

/// The key of the operands' types, whatever the scales and the output are: "bf16", "int8", "bf16:e2m1".
std::string peak_key(const Problem& problem);

/// Whether the roofline is of this device or of one of the same kind.
bool is_of(const Roofline& roofline, const DeviceInfo& device);

/// The peak of the problem's types or the rate that the bandwidth allows for the bytes that must be moved, whichever is
/// less. Empty if one of the two is not known.
std::optional<double> attainable_tflops(const Roofline& roofline, const Problem& problem);

/// The first roofline, in which everything that the second has measured replaces its own value. Both are of one
/// device.
Roofline updated(Roofline known, const Roofline& measured);

}  // namespace gemmtune
