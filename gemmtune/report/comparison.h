// Backends side by side: the best kernel of each for each shape, who wins, and by how much.
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
  std::string primary{};                // the backend that the others are held against; empty: see Comparison::primary
  std::vector<std::string> backends{};  // only these; empty: all
  double err_ratio_limit{VerifyPolicy{}.err_ratio_limit};
};

/// The fastest usable kernel of one backend for one shape.
struct Best {
  Measurement measurement{};
  double tflops{};
};

struct ComparedShape {
  ShapeId shape{};
  std::map<std::string, Best> best{};        // by backend; those without a usable kernel have none
  std::vector<std::string> winners{};        // the fastest, and what cannot be told apart from it
  std::optional<std::string> alternative{};  // the best backend but the primary
  std::optional<double> ratio{};             // primary's TFLOPS / alternative's, where both are there
};

enum class SkipReason : std::uint8_t {
  failed,            // it says so, or its time is AITER's mark for it: -1, inf
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
  std::string primary{};                // as asked for; else asm where there is one, else who wins most shapes
  std::vector<std::string> backends{};  // the primary first, the others by name
  std::vector<ComparedShape> shapes{};  // by device, types, N, K and M; those without any usable kernel too
  std::vector<Skipped> skipped{};
  std::size_t measurements{};  // that were looked at
  double err_ratio_limit{};
  bool one_type{};    // all shapes are of the same types
  bool one_device{};  // and on the same kind of device
};

/// Can these two not be told apart? By the rule of space/tie.h or, where one has no interval, when their times agree to
/// the four decimals of tables.
bool is_tie(const Measurement& a, const Measurement& b);

/// Throws Error{usage} when the primary asked for is not among the backends.
Comparison compare(const std::vector<Measurement>& measurements, const ComparisonOptions& options = {});

/// Shapes on which the primary has a time and does not win, in their order.
std::vector<const ComparedShape*> shapes_lost(const Comparison& comparison);

std::size_t count_skipped(const Comparison& comparison, SkipReason reason);

/// Shapes for which the primary has nothing usable.
std::vector<const ComparedShape*> shapes_missed(const Comparison& comparison);

}  // namespace gemmtune
