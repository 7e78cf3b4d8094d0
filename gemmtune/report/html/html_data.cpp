#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "gemmtune/core/clock.h"
#include "gemmtune/report/comparison_files.h"
#include "gemmtune/report/comparison_grids.h"
#include "gemmtune/report/failure_groups.h"
#include "gemmtune/report/html/html_report.h"
#include "gemmtune/report/regret.h"
#include "gemmtune/report/tuning_facts.h"

namespace gemmtune {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_noise_points = 5000;
constexpr std::size_t most_failure_groups = 300;

/// Rounds a number, because pages with thousands of shapes do not need 17 digits.
double rounded(double value) { return std::round(value * 1e4) / 1e4; }

template <typename T>
ordered_json or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

std::string types_text(const ShapeId& shape) {
  const auto text = to_string(shape.problem);
  return shape.types_known ? text.substr(text.find(':') + 1) : "not said";
}

/// The given roofline. What was not given is taken from the stored one.
Roof roof_for(const HtmlInputs& inputs, const ShapeId& shape) {
  Roof roof = inputs.roof_of && shape.types_known ? inputs.roof_of(shape) : Roof{};
  if (inputs.roof.peak_tflops > 0) roof.peak_tflops = inputs.roof.peak_tflops;
  if (inputs.roof.peak_gbps > 0) roof.peak_gbps = inputs.roof.peak_gbps;
  return roof;
}

ordered_json best_json(const Best& best, const Roof& roof) {
  const auto& m = best.measurement;
  ordered_json value{
      {"tflops", rounded(best.tflops)}, {"us", rounded(m.time_us)}, {"kernel", m.kernel}, {"where", m.where}};
  if (m.unproven) value["unproven"] = true;
  if (best.apart) value["apart"] = true;
  if (m.has_interval()) value.update({{"low", rounded(m.low_us)}, {"high", rounded(m.high_us)}});
  if (const auto share = share_of_roof(roof, m.shape, best.tflops)) value["share"] = rounded(*share);
  return value;
}

/// What lists say of the shapes of runs.
using Layers = std::map<Problem, const RunResult*>;

Layers layers_of(const StoreContents& stores) {
  Layers layers;
  for (const auto& result : stores.results)
    if (result.weight != 1 || !result.layer.empty()) layers.emplace(result.problem, &result);
  return layers;
}

ordered_json shape_json(const HtmlInputs& inputs, const Layers& layers, const ComparedShape& compared) {
  const auto& shape = compared.shape;
  const auto& p = shape.problem;
  const auto roof = roof_for(inputs, shape);
  auto best = ordered_json::object();
  for (const auto& [backend, fastest] : compared.best) best[backend] = best_json(fastest, roof);
  const auto said = layers.find(p);
  return {{"label", shape_text(inputs.comparison, shape)},
          {"layer", said == layers.end() ? "" : said->second->layer},
          {"weight", said == layers.end() ? 1 : said->second->weight},
          {"types", types_text(shape)},
          {"device", to_string(shape.device)},
          {"m", p.m},
          {"n", p.n},
          {"k", p.k},
          {"batch", p.batch},
          {"intensity", rounded(intensity(shape))},
          {"best", std::move(best)},
          {"winners", compared.winners},
          {"alternative", or_null(compared.alternative)},
          {"ratio", or_null(compared.ratio)}};
}

ordered_json shapes_json(const HtmlInputs& inputs) {
  auto list = ordered_json::array();
  const auto layers = layers_of(inputs.stores);
  for (const auto& shape : inputs.comparison.shapes) list.push_back(shape_json(inputs, layers, shape));
  return list;
}

ordered_json roof_json(const Roof& roof, const std::string& label, const char* source) {
  return {{"label", label}, {"peak_tflops", roof.peak_tflops}, {"peak_gbps", roof.peak_gbps}, {"source", source}};
}

/// The best rates that were measured, for use if no roofline is known. They are not an upper limit, but the true
/// roofline cannot be lower.
ordered_json reached_roof(const HtmlInputs& inputs) {
  Roof roof;
  for (const auto& compared : inputs.comparison.shapes)
    for (const auto& [backend, best] : compared.best) {
      if (!compared.shape.types_known) continue;
      roof.peak_tflops = std::max(roof.peak_tflops, best.tflops);
      roof.peak_gbps = std::max(roof.peak_gbps, moved_bytes(compared.shape.problem) / best.measurement.time_us / 1e3);
    }
  if (inputs.roof.peak_tflops > 0) roof.peak_tflops = inputs.roof.peak_tflops;
  if (inputs.roof.peak_gbps > 0) roof.peak_gbps = inputs.roof.peak_gbps;
  return roof_json(roof, "roof", "reached");
}

/// Each different roofline once, named after the first shape that it limits.
ordered_json roofs_json(const HtmlInputs& inputs) {
  std::map<Roof, std::string> known;
  for (const auto& compared : inputs.comparison.shapes)
    if (const auto roof = roof_for(inputs, compared.shape); roof.is_complete())
      known.try_emplace(roof, "roof of " + types_text(compared.shape) + " on " + to_string(compared.shape.device));
  auto list = ordered_json::array();
  const bool given = inputs.roof.is_complete();
  for (const auto& [roof, label] : known)
    list.push_back(roof_json(roof, given ? "roof" : label, given ? "given" : "remembered"));
  if (list.empty()) list.push_back(reached_roof(inputs));
  return list;
}

ordered_json spread_json(const RegretSpread& spread) {
  return {{"mean", spread.mean}, {"p95", spread.p95}, {"worst", spread.worst}};
}

ordered_json backend_regret_json(const Comparison& comparison) {
  auto list = ordered_json::array();
  for (const auto& regret : backend_regrets(comparison)) {
    auto value = spread_json(regret.regret);
    value.update({{"backend", regret.backend}, {"shapes", regret.shapes}});
    if (regret.shapes > 0) list.push_back(std::move(value));
  }
  return list;
}

ordered_json search_regret_json(std::span<const Trial> trials) {
  auto list = ordered_json::array();
  for (const auto& regret : search_regrets(trials)) {
    auto value = spread_json(regret.regret);
    value.update({{"share", regret.share}, {"shapes", regret.shapes}});
    list.push_back(std::move(value));
  }
  return list;
}

ordered_json cost_json(std::span<const Trial> trials) {
  auto list = ordered_json::array();
  for (const auto& [backend, count, cost] : backend_costs(trials))
    list.push_back({{"backend", backend},
                    {"trials", count},
                    {"kernel_s", cost.kernel_s},
                    {"prepare_s", cost.prepare_s},
                    {"operands_s", cost.operands_s},
                    {"reference_s", cost.reference_s},
                    {"verify_s", cost.verify_s}});
  return list;
}

ordered_json noise_json(const HtmlInputs& inputs) {
  auto list = ordered_json::array();
  for (const auto& point : noise_points(inputs.stores.trials, most_noise_points))
    list.push_back({{"backend", point.backend},
                    {"label", shape_text(inputs.comparison, point.shape)},
                    {"kernel", point.kernel},
                    {"us", rounded(point.time_us)},
                    {"dispersion", point.dispersion},
                    {"clock_mhz", point.clock_mhz},
                    {"throttled", point.throttled}});
  return list;
}

/// What tuning gained over the default choices.
ordered_json gains_json(const HtmlInputs& inputs) {
  const auto label = [&](const Problem& problem) {
    const auto text = to_string(problem);
    return inputs.comparison.one_type ? text.substr(0, text.find(':')) : text;
  };
  auto list = ordered_json::array();
  for (const auto& result : inputs.stores.results)
    if (const auto gain = result.gain())
      list.push_back({{"label", label(result.problem)},
                      {"gain", rounded(*gain)},
                      {"us", rounded(result.time_us)},
                      {"low", rounded(result.low_us)},
                      {"high", rounded(result.high_us)},
                      {"default_us", rounded(result.default_us)},
                      {"default_low", rounded(result.default_low_us)},
                      {"default_high", rounded(result.default_high_us)},
                      {"weight", result.weight},
                      {"layer", result.layer},
                      {"winner", result.winner},
                      {"default", result.default_choice}});
  return list;
}

ordered_json failures_json(const Comparison& comparison) {
  auto list = ordered_json::array();
  for (const auto& group : failure_groups(comparison)) {
    if (list.size() == most_failure_groups) break;
    const auto& m = group.first.measurement;
    list.push_back({{"backend", group.backend},
                    {"what", group.what},
                    {"count", group.count},
                    {"why", group.first.text},
                    {"shape", shape_text(comparison, m.shape)},
                    {"kernel", m.kernel},
                    {"reproducer", m.reproducer}});
  }
  return list;
}

ordered_json provenance_json(std::span<const Trial> trials) {
  auto list = ordered_json::array();
  for (const auto& entry : provenances(trials))
    list.push_back({{"device", entry.device},
                    {"driver", entry.driver},
                    {"libraries", entry.libraries},
                    {"policies", entry.policies},
                    {"trials", entry.trials},
                    {"first_utc", entry.first_utc},
                    {"last_utc", entry.last_utc}});
  return list;
}

ordered_json fleet_json(const std::vector<FleetDeviceRecord>& devices) {
  auto list = ordered_json::array();
  for (const auto& device : devices)
    list.push_back({{"device", device.device},
                    {"shards", device.shards},
                    {"shapes", device.shapes},
                    {"failures", device.failures},
                    {"busy_s", device.busy_s},
                    {"set_aside", device.set_aside},
                    {"calibrations", device.calibrations}});
  return list;
}

}  // namespace

ordered_json html_data(const HtmlInputs& inputs) {
  const auto& comparison = inputs.comparison;
  ordered_json data{{"caption", caption(comparison) + "; made " + utc_now()},
                    {"primary", comparison.primary},
                    {"backends", comparison.backends},
                    {"one_type", comparison.one_type},
                    {"one_device", comparison.one_device},
                    {"measurements", comparison.measurements},
                    {"skipped", comparison.skipped.size()},
                    {"sources", inputs.readings.sources},
                    {"notes", inputs.readings.notes}};
  data["shapes"] = shapes_json(inputs);
  data["pairs"] = pairs_json(comparison);
  data["gains"] = gains_json(inputs);
  data["roofs"] = roofs_json(inputs);
  data["backend_regret"] = backend_regret_json(comparison);
  data["search_regret"] = search_regret_json(inputs.stores.trials);
  data["cost"] = cost_json(inputs.stores.trials);
  data["noise"] = noise_json(inputs);
  data["failures"] = failures_json(comparison);
  data["fleet"] = fleet_json(inputs.stores.fleet_devices);
  data["provenance"] = provenance_json(inputs.stores.trials);
  return data;
}

}  // namespace gemmtune
