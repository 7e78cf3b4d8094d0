// Compares backends: the best kernel of each for each shape, which backend wins, and by how much.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/report/measurement.h"
#include "gemmtune/space/policy.h"

namespace gemmtune {

struct ComparisonOptions {
  std::string primary{};  // the backend with which the others are compared; empty: see Comparison::primary
  std::vector<std::string> backends{};  // only these backends; empty: all
  bool keeps_references{};  // else searches' times of a reference (cpu_reference) count only where nothing else was
                            // measured, or where `backends` names it
  double err_ratio_limit{VerifyPolicy{}.err_ratio_limit};
};

/// The fastest usable kernel of one backend for one shape; one that is not proven only if no other is.
struct Best {
  Measurement measurement{};
  double tflops{};
  bool apart{};  // was not timed together with the others: stands beside them, and is compared with none
};

struct ComparedShape {
  ShapeId shape{};
  std::map<std::string, Best> best{};        // by backend; backends without a usable kernel are missing. Of the batch
                                             // with most backends, where a backend has a kernel in it
  std::vector<std::string> winners{};        // the fastest backend whose kernel is proven, and those that cannot be
                                             // told apart from it
  std::optional<std::string> alternative{};  // the best backend other than the primary
  std::optional<double> ratio{};             // primary's TFLOPS / alternative's, if both exist
};

enum class SkipReason : std::uint8_t {
  failed,            // the file says so, or the time is AITER's mark for a failure: -1, inf
  no_time,           // a placeholder: 0, nan
  over_error_limit,  // too many elements are wrong
};

inline constexpr std::array all_skip_reasons{SkipReason::over_error_limit, SkipReason::no_time, SkipReason::failed};

std::string_view to_string(SkipReason reason);

/// A measurement that does not count.
struct Skipped {
  Measurement measurement{};
  SkipReason reason{};
  std::string text{};  // "errRatio 0.18 is over 0.05"
};

struct Comparison {
  std::string primary{};  // the requested one; otherwise asm if it exists, otherwise the one that wins most shapes
  std::vector<std::string> backends{};  // the primary first, then the others by name
  std::vector<ComparedShape> shapes{};  // ordered by device, types, N, K and M; also shapes without any usable kernel
  std::vector<Skipped> skipped{};
  std::size_t measurements{};  // all measurements that were examined
  double err_ratio_limit{};
  bool one_type{};    // all shapes are of the same types
  bool one_device{};  // and all are on the same kind of device
};

/// Whether the two times cannot be told apart: by the rule of space/tie.h or, if one has no interval, because they
/// agree to the four decimals of tables.
bool is_tie(const Measurement& a, const Measurement& b);

/// Throws Error{usage} if the requested primary is not among the backends.
Comparison compare(const std::vector<Measurement>& measurements, const ComparisonOptions& options = {});

/// The shapes on which the primary has a time and another backend wins, in their order.
std::vector<const ComparedShape*> shapes_lost(const Comparison& comparison);

/// How many of the best kernels are not proven.
std::size_t count_unproven(const Comparison& comparison);

/// How many of them were not timed together with the others.
std::size_t count_apart(const Comparison& comparison);

std::size_t count_skipped(const Comparison& comparison, SkipReason reason);

/// The shapes for which the primary has no usable kernel.
std::vector<const ComparedShape*> shapes_missed(const Comparison& comparison);

}  // namespace gemmtune
