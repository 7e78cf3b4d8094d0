// oneDNN's matmul: what most people on CPUs use today, and therefore what everything else is compared with.
#include <fmt/format.h>

#include <optional>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/families/family.h"
#include "gemmtune/families/onednn/arithmetic.h"
#include "gemmtune/families/onednn/matmul.h"
#include "gemmtune/families/onednn/prepared_matmul.h"
#include "gemmtune/space/space.h"

namespace gemmtune {
namespace {

using onednn::Arithmetic;
using onednn::Choice;
using onednn::WeightUse;

Space space_of(const Problem& problem, const Arithmetic& arithmetic, const DeviceInfo& device) {
  const bool packed = problem.packed;
  const std::int64_t cores = device.cu_num;
  return {fmt::format("onednn_{}", arithmetic.tag),
          {label_axis("weights", {"plain", "blocked", "reordered"}), thread_axis(device.cu_num)},
          {{"blocked weights need a problem whose weights are packed ahead",
            [packed](const Point& point) { return packed || point.label("weights") != "blocked"; }},
           {"weights that are packed ahead need no reordering in each launch",
            [packed](const Point& point) { return !packed || point.label("weights") != "reordered"; }},
           {"threads must be from 1 to the cores of this machine",
            [cores](const Point& point) { return point["t"] >= 1 && point["t"] <= cores; }}}};
}

Choice default_choice(const Problem& problem, const Arithmetic& arithmetic, const DeviceInfo& device) {
  return {.problem = problem,
          .arithmetic = arithmetic,
          .weights = WeightUse::plain,
          .threads = static_cast<int>(device.cu_num),
          .packing_threads = static_cast<int>(device.cu_num)};
}

Choice choice_at(const Point& point, Choice choice) {
  choice.weights = static_cast<WeightUse>(point["weights"]);
  choice.threads = static_cast<int>(point["t"]);
  return choice;
}

class OnednnFamily final : public KernelFamily {
 public:
  std::string_view name() const override { return "onednn"; }

  std::string version() const override { return "onednn " + onednn::library_version(); }

  std::string why_not(const Problem& problem, const DeviceInfo& device) const override {
    std::vector<std::string> reasons;
    for (const Arithmetic& arithmetic : onednn::arithmetics_for(problem, device)) {
      const std::string why = onednn::why_not_matmul(default_choice(problem, arithmetic, device));
      if (why.empty()) return {};
      reasons.push_back(fmt::format("{}: {}", arithmetic.tag, why));
    }
    return join(reasons, "; ");
  }

  std::vector<Candidate> candidates(const Problem& problem, const DeviceInfo& device) const override {
    std::vector<Candidate> all;
    for (const Arithmetic& arithmetic : onednn::arithmetics_for(problem, device)) {
      if (!onednn::why_not_matmul(default_choice(problem, arithmetic, device)).empty()) continue;
      const Space space = space_of(problem, arithmetic, device);
      for (const Point& point : space.points()) all.push_back(space.candidate("onednn", point));
    }
    if (!all.empty()) all.front().is_default = true;
    return all;
  }

  std::unique_ptr<PreparedGemm> make(const Problem& problem, const Candidate& candidate,
                                     const DeviceInfo& device) const override {
    for (const Arithmetic& arithmetic : onednn::arithmetics_for(problem, device)) {
      const Space space = space_of(problem, arithmetic, device);
      const std::optional<Point> point = space.parse(candidate.name);
      if (!point) continue;
      const std::string why = space.why_not(*point);
      if (!why.empty()) fail(ErrorCode::unsupported, "{}: {}", candidate.name, why);
      return onednn::prepare_matmul(choice_at(*point, default_choice(problem, arithmetic, device)));
    }
    fail(ErrorCode::unsupported, "onednn has no kernel '{}' for {}{}", candidate.name, to_string(problem),
         int8_remark(problem, device));
  }

 private:
  static std::string int8_remark(const Problem& problem, const DeviceInfo& device) {
    const bool int8 = problem.a.type == DType::i8 && problem.w.type == DType::i8;
    const std::string why = int8 ? onednn::why_not_int8(device) : "";
    return why.empty() ? "" : fmt::format(" ({})", why);
  }
};

}  // namespace

std::unique_ptr<KernelFamily> make_onednn_family() { return std::make_unique<OnednnFamily>(); }

}  // namespace gemmtune
