#include "gemmtune/report/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "gemmtune/table/sheet/known_columns.h"

namespace gemmtune {
namespace {

using Sizes = std::array<std::int64_t, 4>;

Sizes sizes_of(const Problem& problem) { return {problem.batch, problem.m, problem.n, problem.k}; }

/// The problem with these types and these sizes.
Problem with_sizes(Problem types, const Problem& sizes) {
  types.m = sizes.m;
  types.n = sizes.n;
  types.k = sizes.k;
  types.batch = sizes.batch;
  return types;
}

Problem types_of(const Problem& problem) { return with_sizes(problem, {}); }

std::string types_text(const Problem& problem) {
  const auto text = to_string(problem);
  return text.substr(text.find(':') + 1);
}

bool can_be(const DeviceTag& part, const DeviceTag& whole) {
  return (part.gfx.empty() || part.gfx == whole.gfx) && (part.cu_num == 0 || part.cu_num == whole.cu_num);
}

template <typename T>
std::optional<T> the_only(const std::set<T>& values) {
  return values.size() == 1 ? std::optional(*values.begin()) : std::nullopt;
}

/// The file of a measurement: "runs/a.csv" for "runs/a.csv:12", and "runs/a.db" for "runs/a.db#3".
std::string file_of(const Measurement& measurement) {
  return measurement.where.substr(0, measurement.where.find_last_of(":#"));
}

class Joiner {
 public:
  explicit Joiner(Readings readings) : readings_(std::move(readings)) {}

  Readings join() {
    complete_devices(&Joiner::only_fitting);
    complete_devices(&Joiner::by_compute_units);
    complete_devices(&Joiner::only_fitting);  // the number of fitting devices may have changed
    complete_types();
    for (const auto& note : assumptions_) readings_.notes.push_back(note);
    return std::move(readings_);
  }

 private:
  using Rule = std::optional<DeviceTag> (Joiner::*)(const DeviceTag&) const;

  void complete_devices(Rule rule) {
    devices_.clear();
    for (const auto& m : readings_.measurements)
      if (m.shape.device.is_complete()) devices_.insert(m.shape.device);
    for (auto& m : readings_.measurements) {
      if (m.shape.device.is_complete()) continue;
      const auto device = (this->*rule)(m.shape.device);
      if (!device) continue;
      assumptions_.insert(fmt::format("{} says {} of its device: taken for {}", file_of(m),
                                      m.shape.device == DeviceTag{} ? "nothing" : "a part", to_string(*device)));
      m.shape.device = *device;
    }
  }

  std::optional<DeviceTag> only_fitting(const DeviceTag& part) const {
    std::set<DeviceTag> fitting;
    for (const auto& device : devices_)
      if (can_be(part, device)) fitting.insert(device);
    return the_only(fitting);
  }

  std::optional<DeviceTag> by_compute_units(const DeviceTag& part) const {
    const auto gfx = gfx_of(std::to_string(part.cu_num));
    if (gfx.empty() || !part.gfx.empty()) return std::nullopt;
    return DeviceTag{.gfx = std::string(gfx), .cu_num = part.cu_num};
  }

  void complete_types() {
    for (const auto& m : readings_.measurements) {
      if (!m.shape.types_known) continue;
      of_sizes_[sizes_of(m.shape.problem)].insert(types_of(m.shape.problem));
      of_all_.insert(types_of(m.shape.problem));
    }
    for (auto& m : readings_.measurements) {
      if (m.shape.types_known) continue;
      const auto types = types_for(m.shape.problem);
      if (!types) continue;
      assumptions_.insert(
          fmt::format("{} does not say its types: taken for {}, as in the others", file_of(m), types_text(*types)));
      m.shape.problem = with_sizes(*types, m.shape.problem);
      m.shape.types_known = true;
    }
  }

  std::optional<Problem> types_for(const Problem& problem) const {
    const auto same_sizes = of_sizes_.find(sizes_of(problem));
    return the_only(same_sizes != of_sizes_.end() ? same_sizes->second : of_all_);
  }

  Readings readings_;
  std::set<DeviceTag> devices_;
  std::map<Sizes, std::set<Problem>> of_sizes_;
  std::set<Problem> of_all_;
  std::set<std::string> assumptions_;
};

}  // namespace

Readings joined(Readings readings) { return Joiner(std::move(readings)).join(); }

}  // namespace gemmtune
