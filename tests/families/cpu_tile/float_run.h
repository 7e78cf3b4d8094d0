// Runs prepared GEMMs on drawn operands between guards and compares the results with sums in double.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/families/family.h"
#include "gemmtune/gemm/draw.h"

namespace gemmtune {

class FloatRun {
 public:
  FloatRun(const Problem& problem, Recipe recipe, std::uint64_t seed);

  /// The operands. After a test has changed them, update_reference() computes the reference anew.
  HostOperands& host() { return host_; }
  void update_reference();

  /// "" when every element of C is within its bound and nothing else was touched; else the first fault.
  std::string why_wrong(PreparedGemm& gemm) const;

 private:
  std::string why_wrong_output(const std::byte* c) const;

  Problem problem_;
  std::uint64_t seed_;
  HostOperands host_;
  std::vector<double> expected_{};
  std::vector<double> bounds_{};
};

/// A CPU with `cores` cores and exactly the features of one instruction-set label.
DeviceInfo device_with_isa(std::string_view isa, std::int64_t cores);

/// "" when this machine can run the instruction set of the label; else the reason why its tests are skipped.
std::string why_skipped(std::string_view isa);

}  // namespace gemmtune
