// A search space: named axes, named constraints with a reason each, and names that parse back to points.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/space/candidate.h"

namespace gemmtune {

/// One parameter. Names show numeric values as tag and number ("kc256"), and labelled values as their label ("avx2").
/// Tags and labels are lower case and have no '_'. The value on a labelled axis is the index of the label.
struct Axis {
  std::string tag{};
  std::vector<std::int64_t> values{};
  std::vector<std::string> labels{};  // empty for a numeric axis
};

Axis numeric_axis(std::string tag, std::vector<std::int64_t> values);
Axis label_axis(std::string tag, std::vector<std::string> labels);

/// The axis of threads, tag "t": all cores first (the default of libraries), then the powers of two below,
/// descending.
Axis thread_axis(std::int64_t cores);

class Space;

/// One value for each axis.
class Point {
 public:
  /// The space must outlive the point.
  Point(const Space& space, std::vector<std::int64_t> values) : space_(&space), values_(std::move(values)) {}
  Point(const Space&& space, std::vector<std::int64_t> values) = delete;

  /// The number on this axis. Throws Error{internal} for an axis that does not exist.
  std::int64_t operator[](std::string_view tag) const;

  /// The label on a labelled axis.
  const std::string& label(std::string_view tag) const;

  std::span<const std::int64_t> values() const { return values_; }

 private:
  const Space* space_;
  std::vector<std::int64_t> values_;
};

/// A condition that points must meet. `reason` is what a user reads when a point does not.
struct Constraint {
  std::string reason{};
  std::function<bool(const Point&)> holds{};
};

class Space {
 public:
  /// `prefix` starts each name: "cpu_tile_f32".
  Space(std::string prefix, std::vector<Axis> axes, std::vector<Constraint> constraints);

  /// All points that meet all constraints, first axis slowest. Like parse(), only for a space that has a name: points
  /// refer to their space, and those of a temporary one would dangle.
  std::vector<Point> points() const&;
  std::vector<Point> points() const&& = delete;

  /// How many points each constraint turned away, by reason. The first constraint that a point fails counts.
  std::map<std::string, std::int64_t> rejections() const;

  /// prefix_tag1value1_label2_…
  std::string name(const Point& point) const;

  /// The point of a name, if the name belongs to this space. Numbers need not be listed on the axis, so that tables
  /// stay valid when the space changes; labels must be. Constraints are not applied: see why_not().
  std::optional<Point> parse(std::string_view name) const&;
  std::optional<Point> parse(std::string_view name) const&& = delete;

  /// The reason of the first constraint that does not hold, or "".
  std::string why_not(const Point& point) const;

  /// Name and params; `family` is filled in.
  Candidate candidate(std::string family, const Point& point) const;

  const std::vector<Axis>& axes() const { return axes_; }

 private:
  std::string prefix_;
  std::vector<Axis> axes_;
  std::vector<Constraint> constraints_;
};

}  // namespace gemmtune
