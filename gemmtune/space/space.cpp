#include "gemmtune/space/space.h"

#include <algorithm>
#include <numeric>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

std::size_t axis_index(const Space& space, std::string_view tag) {
  const auto& axes = space.axes();
  const auto found = std::find_if(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.tag == tag; });
  if (found == axes.end()) fail(ErrorCode::internal, "the space has no axis '{}'", tag);
  return static_cast<std::size_t>(found - axes.begin());
}

std::string value_text(const Axis& axis, std::int64_t value) {
  return axis.labels.empty() ? std::to_string(value) : axis.labels.at(static_cast<std::size_t>(value));
}

std::string token(const Axis& axis, std::int64_t value) {
  return axis.labels.empty() ? axis.tag + std::to_string(value) : value_text(axis, value);
}

/// The value that a part of a name gives this axis, if the part is one of this axis.
std::optional<std::int64_t> parse_token(const Axis& axis, std::string_view piece) {
  if (axis.labels.empty()) {
    if (!piece.starts_with(axis.tag)) return std::nullopt;
    const auto value = parse_int(piece.substr(axis.tag.size()));
    return value && token(axis, *value) == piece ? value : std::nullopt;
  }
  const auto found = std::find(axis.labels.begin(), axis.labels.end(), piece);
  if (found == axis.labels.end()) return std::nullopt;
  return found - axis.labels.begin();
}

/// Calls visit with each combination of the axes' values, first axis slowest.
template <typename Visit>
void for_each_combination(const std::vector<Axis>& axes, Visit visit) {
  std::vector<std::size_t> at(axes.size(), 0);
  std::vector<std::int64_t> values(axes.size());
  if (std::any_of(axes.begin(), axes.end(), [](const Axis& axis) { return axis.values.empty(); })) return;
  for (;;) {
    for (std::size_t i = 0; i < axes.size(); ++i) values[i] = axes[i].values[at[i]];
    visit(values);
    std::size_t i = axes.size();
    while (i > 0 && ++at[i - 1] == axes[i - 1].values.size()) at[--i] = 0;
    if (i == 0) return;
  }
}

}  // namespace

Axis numeric_axis(std::string tag, std::vector<std::int64_t> values) { return {std::move(tag), std::move(values), {}}; }

Axis label_axis(std::string tag, std::vector<std::string> labels) {
  std::vector<std::int64_t> values(labels.size());
  std::iota(values.begin(), values.end(), 0);
  return {std::move(tag), std::move(values), std::move(labels)};
}

Axis thread_axis(std::int64_t cores) {
  std::vector<std::int64_t> counts{std::max<std::int64_t>(cores, 1)};
  std::int64_t power = 1;
  while (power * 2 < cores) power *= 2;
  for (; power >= 1 && power < cores; power /= 2) counts.push_back(power);
  return numeric_axis("t", std::move(counts));
}

std::int64_t Point::operator[](std::string_view tag) const { return values_[axis_index(*space_, tag)]; }

const std::string& Point::label(std::string_view tag) const {
  const auto index = axis_index(*space_, tag);
  return space_->axes()[index].labels.at(static_cast<std::size_t>(values_[index]));
}

Space::Space(std::string prefix, std::vector<Axis> axes, std::vector<Constraint> constraints)
    : prefix_(std::move(prefix)), axes_(std::move(axes)), constraints_(std::move(constraints)) {}

std::vector<Point> Space::points() const& {
  std::vector<Point> points;
  for_each_combination(axes_, [&](const std::vector<std::int64_t>& values) {
    if (const Point point(*this, values); why_not(point).empty()) points.push_back(point);
  });
  return points;
}

std::map<std::string, std::int64_t> Space::rejections() const {
  std::map<std::string, std::int64_t> counts;
  for_each_combination(axes_, [&](const std::vector<std::int64_t>& values) {
    if (const auto reason = why_not(Point(*this, values)); !reason.empty()) ++counts[reason];
  });
  return counts;
}

std::string Space::name(const Point& point) const {
  std::string name = prefix_;
  for (std::size_t i = 0; i < axes_.size(); ++i) name += '_' + token(axes_[i], point.values()[i]);
  return name;
}

std::optional<Point> Space::parse(std::string_view name) const& {
  if (!name.starts_with(prefix_)) return std::nullopt;
  name.remove_prefix(prefix_.size());
  const auto pieces = split(name, '_');  // the first part is the empty text before the first '_'
  if (pieces.size() != axes_.size() + 1 || !pieces[0].empty()) return std::nullopt;
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const auto value = parse_token(axes_[i], pieces[i + 1]);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return Point(*this, std::move(values));
}

std::string Space::why_not(const Point& point) const {
  for (const auto& constraint : constraints_)
    if (!constraint.holds(point)) return constraint.reason;
  return {};
}

Candidate Space::candidate(std::string family, const Point& point) const {
  Candidate candidate{.family = std::move(family), .name = name(point)};
  for (std::size_t i = 0; i < axes_.size(); ++i)
    candidate.params.push_back({axes_[i].tag, value_text(axes_[i], point.values()[i])});
  return candidate;
}

}  // namespace gemmtune
