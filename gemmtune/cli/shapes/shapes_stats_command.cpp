#include <nlohmann/json.hpp>
#include <optional>

#include "gemmtune/bench/roofline_file.h"
#include "gemmtune/cli/device_choice.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/cli/shapes/list_inputs.h"
#include "gemmtune/cli/shapes/shapes_commands.h"
#include "gemmtune/cli/short_text.h"
#include "gemmtune/cli/text_grid.h"
#include "gemmtune/core/clock.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/json.h"
#include "gemmtune/device/device.h"
#include "gemmtune/shapes/list_stats.h"

namespace gemmtune {
namespace {

constexpr std::size_t layers_shown = 20;

/// A problem without its M: 5120x2880:bf16:bf16:bf16.
std::string layer_text(Problem problem) {
  problem.m = 1;
  return to_string(problem).substr(2);
}

nlohmann::json to_json_value(const LayerStats& layer) {
  return {{"layer", layer.layer},      {"problem", layer_text(layer.problem)},
          {"shapes", layer.shapes},    {"m_low", layer.m_low},
          {"m_high", layer.m_high},    {"weight", layer.weight},
          {"gflop", layer.flops / 1e9}};
}

/// The device for which times are estimated, and what is known of it.
struct Estimate {
  DeviceInfo device{};
  std::optional<Roofline> roofline{};
  ListStats stats{};
};

/// Until a roofline is measured: what a core and a GPU usually reach.
DeviceRates usual_rates(const DeviceInfo& device) {
  if (device.kind != DeviceKind::cpu) return {};
  const auto cores = static_cast<double>(device.cu_num);
  return {.tflops = 0.05 * cores, .gbps = 8 * cores};
}

DeviceRates rates_for(const Estimate& estimate, const Problem& problem) {
  auto rates = usual_rates(estimate.device);
  if (!estimate.roofline) return rates;
  if (estimate.roofline->copy_gbps > 0) rates.gbps = estimate.roofline->copy_gbps;
  const auto peak = estimate.roofline->peaks.find(peak_key(problem));
  if (peak != estimate.roofline->peaks.end()) rates.tflops = peak->second.tflops;
  return rates;
}

std::optional<Roofline> roofline_of(const DeviceInfo& device) {
  try {
    return remembered_roofline(rooflines_folder(), device);
  } catch (const Error& error) {
    print_note("gemmtune: {}\n", error.what());
    return std::nullopt;
  }
}

nlohmann::json to_json_value(const Estimate& estimate) {
  const auto& stats = estimate.stats;
  nlohmann::json value{{"shapes", stats.shapes},
                       {"rejected", stats.rejected},
                       {"weight", stats.weight},
                       {"gflop", stats.flops / 1e9},
                       {"gbytes", stats.bytes / 1e9},
                       {"least_us", stats.least_us},
                       {"tuning_seconds", stats.tuning_seconds},
                       {"device", device_id(estimate.device)},
                       {"rates", estimate.roofline ? "roofline" : "usual"},
                       {"formats", stats.formats}};
  value["layers"] = nlohmann::json::array();
  for (const auto& layer : stats.layers) value["layers"].push_back(to_json_value(layer));
  return value;
}

std::string layers_text(const ListStats& stats) {
  std::vector<std::vector<std::string>> rows{{"NxK and types", "shapes", "M", "weight", "operations", "layer"}};
  for (const auto& layer : stats.layers) {
    if (rows.size() > layers_shown) break;
    const auto m =
        layer.m_low == layer.m_high ? std::to_string(layer.m_low) : fmt::format("{} to {}", layer.m_low, layer.m_high);
    rows.push_back({layer_text(layer.problem), std::to_string(layer.shapes), m, fmt::format("{:.6g}", layer.weight),
                    fmt::format("{:.1f} %", 100 * layer.flops / stats.flops), layer.layer});
  }
  auto text = text_grid(rows, {Align::left, Align::right, Align::right, Align::right, Align::right});
  if (stats.layers.size() > layers_shown) text += fmt::format("and {} more\n", stats.layers.size() - layers_shown);
  return text;
}

std::string times_text(const Estimate& estimate) {
  const auto& stats = estimate.stats;
  return fmt::format(
      "on {}, {}: all calls take at least {}; about {} to tune\n{}", device_id(estimate.device), estimate.device.name,
      human_time(stats.least_us), human_duration(stats.tuning_seconds),
      estimate.roofline ? "" : "  (by what such devices usually reach: 'gemmtune bench roofline' measures it)\n");
}

std::string description(const Estimate& estimate) {
  const auto& stats = estimate.stats;
  auto text = fmt::format("{} shapes of {} layers, weight {:.6g}\n", stats.shapes, stats.layers.size(), stats.weight);
  for (const auto& [format, count] : stats.formats) text += fmt::format("  {} of {}\n", count, format);
  text += fmt::format("{:.4g} GFLOP and {:.4g} GB moved by all calls\n", stats.flops / 1e9, stats.bytes / 1e9);
  if (stats.shapes > 0) text += times_text(estimate);
  return stats.layers.empty() ? text : text + '\n' + layers_text(stats);
}

class ShapesStatsCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("list", list_).required();
    options.add_option("-d,--device", device_);
    options.add_flag("--json", json_);
  }

  int run() override {
    const auto document = read_csv(list_);
    const auto list = read_shapes(document, list_defaults(document));
    for (const auto& line : list.rejected) print_note("{}: {}\n", line.where, line.reason);
    Estimate estimate{.device = choose_devices(device_, 1, list_devices()).front()};
    estimate.roofline = roofline_of(estimate.device);
    estimate.stats = stats_of(list, [&](const Problem& problem) { return rates_for(estimate, problem); });
    if (json_)
      print_text("{}\n", json_text(to_json_value(estimate)));
    else
      print_text("{}", description(estimate));
    return 0;
  }

 private:
  std::string list_;
  std::string device_;
  bool json_{};
};

}  // namespace

std::unique_ptr<Command> make_shapes_stats_command() { return std::make_unique<ShapesStatsCommand>(); }

}  // namespace gemmtune
