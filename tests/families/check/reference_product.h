// What a product should be and how far a kernel may be from it, written a second time for the tests of families: this
// code shares nothing with verify/ or with any family.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/device/device_info.h"
#include "gemmtune/gemm/draw.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune::check {

/// One element of C in double, and the largest error that rounding explains.
struct Expected {
  double value{};
  double bound{};
};

/// How a kernel may compute.
struct Arithmetic {
  DeviceKind computed_on{DeviceKind::cpu};  // GPUs may approximate activations more coarsely than CPUs
  bool rounds_product{};                    // to the output's type, before the epilogue
};

/// The expected product [batch, M, N] of the stored operands.
std::vector<Expected> expected_product(const Problem& problem, const HostOperands& operands,
                                       const Arithmetic& arithmetic);

/// `c` is stored in the problem's layout. Returns "" when every element of C is within its bound (NaN where NaN is
/// due), else describes the first that is not.
std::string first_difference(const Problem& problem, std::span<const Expected> expected, std::span<const std::byte> c);

/// Returns "" when the gaps between C's rows and matrices still hold gap_byte (gemm/relayout.h), else describes the
/// first byte that does not.
std::string first_written_gap(const Problem& problem, std::span<const std::byte> c);

}  // namespace gemmtune::check
