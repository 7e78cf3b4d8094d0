// oneDNN's matmul: what most programs on CPUs use, and therefore the default that other candidates are compared with.
#include <fmt/format.h>

#include "gemmtune/families/onednn/arithmetic.h"
#include "gemmtune/families/onednn/matmul.h"
#include "gemmtune/families/onednn/prepared_matmul.h"
#include "gemmtune/families/path_family.h"

namespace gemmtune {
namespace {

using onednn::Arithmetic;
using onednn::Choice;
using onednn::WeightUse;

Choice default_choice(const Problem& problem, const Arithmetic& arithmetic, const DeviceInfo& device) {
  return {.problem = problem,
          .arithmetic = arithmetic,
          .weights = WeightUse::plain,
          .threads = static_cast<int>(device.cu_num),
          .packing_threads = static_cast<int>(device.cu_num)};
}

/// Some versions of the library cannot reorder weights of certain types that have gaps.
std::string why_not_reordered(const Problem& problem, const Arithmetic& arithmetic, const DeviceInfo& device) {
  Choice choice = default_choice(problem, arithmetic, device);
  choice.weights = WeightUse::reordered;
  return onednn::why_not_matmul(choice);
}

Space space_of(const Problem& problem, const Arithmetic& arithmetic, const DeviceInfo& device) {
  const bool packed = problem.packed;
  const std::int64_t cores = device.cu_num;
  const std::string why_plain_only = why_not_reordered(problem, arithmetic, device);
  return {fmt::format("onednn_{}", arithmetic.tag),
          {label_axis("weights", {"plain", "blocked", "reordered"}), thread_axis(device.cu_num)},
          {{"blocked weights need a problem whose weights are packed ahead",
            [packed](const Point& point) { return packed || point.label("weights") != "blocked"; }},
           {"weights that are packed ahead need no reordering in each launch",
            [packed](const Point& point) { return !packed || point.label("weights") != "reordered"; }},
           {why_plain_only, [plain_only = !why_plain_only.empty()](
                                const Point& point) { return !plain_only || point.label("weights") == "plain"; }},
           {"threads must be from 1 to the cores of this machine",
            [cores](const Point& point) { return point["t"] >= 1 && point["t"] <= cores; }}}};
}

Choice choice_at(const Point& point, Choice choice) {
  choice.weights = static_cast<WeightUse>(point["weights"]);
  choice.threads = static_cast<int>(point["t"]);
  return choice;
}

class OnednnPath final : public KernelPath {
 public:
  explicit OnednnPath(const Arithmetic& arithmetic) : arithmetic_(arithmetic) {}

  Support supports(const Problem& problem, const DeviceInfo& device) const override {
    const std::string why = onednn::why_not_matmul(default_choice(problem, arithmetic_, device));
    return {why.empty() ? "" : fmt::format("{}: {}", arithmetic_.tag, why)};
  }

  Space space(const Problem& problem, const DeviceInfo& device) const override {
    return space_of(problem, arithmetic_, device);
  }

  std::unique_ptr<PreparedGemm> prepare(const Problem& problem, const Point& point,
                                        const DeviceInfo& device) const override {
    return onednn::prepare_matmul(choice_at(point, default_choice(problem, arithmetic_, device)));
  }

 private:
  Arithmetic arithmetic_;
};

class OnednnFamily final : public PathFamily {
 public:
  std::string_view name() const override { return "onednn"; }

  std::string version() const override { return "onednn " + onednn::library_version(); }

  FeatureSet features() const override { return basic_features().with(layout_features()).with(epilogue_features()); }

  DefaultRank default_rank(const Problem&) const override { return DefaultRank::best; }

 private:
  std::vector<std::unique_ptr<KernelPath>> paths(const Problem& problem, const DeviceInfo& device) const override {
    std::vector<std::unique_ptr<KernelPath>> all;
    for (const Arithmetic& arithmetic : onednn::arithmetics_for(problem, device))
      all.push_back(std::make_unique<OnednnPath>(arithmetic));
    return all;
  }

  bool has_default() const override { return true; }

  std::string remark(const Problem& problem, const DeviceInfo& device) const override {
    const bool int8 = problem.a.type == DType::i8 && problem.w.type == DType::i8;
    const std::string why = int8 ? onednn::why_not_int8(device) : "";
    return why.empty() ? "" : fmt::format(" ({})", why);
  }
};

}  // namespace

std::unique_ptr<KernelFamily> make_onednn_family() { return std::make_unique<OnednnFamily>(); }

}  // namespace gemmtune
