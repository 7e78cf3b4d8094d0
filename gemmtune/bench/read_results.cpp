#include "gemmtune/bench/read_results.h"

#include <nlohmann/json.hpp>

#include "gemmtune/bench/roofline_file.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/json.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

using nlohmann::json;

DeviceKind kind_of(std::string_view id) {
  for (const auto kind : {DeviceKind::cuda, DeviceKind::hip})
    if (id.starts_with(kind_name(kind))) return kind;
  return DeviceKind::cpu;
}

DeviceInfo device_of(const json& value) {
  const auto id = value.at("id").get<std::string>();
  return {.kind = kind_of(id),
          .index = static_cast<int>(parse_int(id.substr(id.find(':') + 1)).value_or(0)),
          .name = value.at("name"),
          .arch = value.at("gfx"),
          .cu_num = value.at("cu_num"),
          .driver = value.at("driver"),
          .libraries = value.at("libraries")};
}

Timing timing_of(const json& value) {
  return {.median_us = value.at("us"),
          .min_us = value.at("us_min"),
          .mean_us = value.at("us_mean"),
          .low_us = value.at("us_low"),
          .high_us = value.at("us_high"),
          .dispersion = value.at("dispersion"),
          .sample_count = value.at("samples"),
          .pack_us = value.at("pack_us"),
          .packed_bytes = value.at("packed_bytes"),
          .workspace_bytes = value.at("workspace_bytes"),
          .clock_mhz = value.at("clock_mhz"),
          .throttled = value.at("throttled")};
}

std::optional<ServedBy> served_of(const json& value) {
  if (!value.contains("match")) return std::nullopt;
  return ServedBy{.match = parse_match_kind(value.at("match").get<std::string>()).value_or(MatchKind::fallback),
                  .tuned_m = value.at("tuned_m"),
                  .expected_us = value.at("us_expected")};
}

MeasuredContender contender_of(const json& value) {
  MeasuredContender measured;
  auto& contender = measured.contender;
  contender.label = value.at("backend");
  contender.candidate.family = value.at("family");
  contender.candidate.name = value.at("kernel");
  contender.origin = value.at("chosen_by");
  contender.is_default = value.at("is_default");
  contender.served = served_of(value);
  auto& evaluation = measured.evaluation;
  const auto outcome = value.at("outcome").get<std::string>();
  const auto known = parse_outcome(outcome);
  if (!known) fail(ErrorCode::input, "found the outcome '{}'", outcome);
  evaluation.candidate = contender.candidate;
  evaluation.outcome = *known;
  evaluation.reason = value.at("reason");
  if (contender.candidate.name.empty()) contender.why_none = evaluation.reason;
  if (!value.contains("us")) return measured;
  evaluation.timing = timing_of(value);
  evaluation.accuracy.err_ratio = value.at("err_ratio");
  measured.screened_only = value.at("screened_only");
  return measured;
}

ShapeBench shape_of(const json& value) {
  ShapeBench shape{.problem = parse_problem(value.at("problem").get<std::string>())};
  for (const auto& backend : value.at("backends")) shape.contenders.push_back(contender_of(backend));
  for (const auto& winner : value.at("winners").get<std::vector<std::string>>())
    for (std::size_t i = 0; i < shape.contenders.size(); ++i)
      if (shape.contenders[i].contender.label == winner) shape.winners.push_back(i);
  shape.verdict = value.value("verdict", "");
  return shape;
}

Benchmark benchmark_of(const json& value, const std::string& source) {
  Benchmark benchmark{.device = device_of(value.at("device")), .policy = value.at("policy")};
  if (!value.at("roofline").is_null()) benchmark.roofline = parse_roofline(json_text(value.at("roofline")), source);
  for (const auto& shape : value.at("shapes")) benchmark.shapes.push_back(shape_of(shape));
  return benchmark;
}

}  // namespace

Benchmark read_bench_json(const std::string& text, const std::string& source) {
  try {
    return benchmark_of(parse_json(text, source), source);
  } catch (const json::exception& why) {
    fail(ErrorCode::input, "{}: expected a benchmark as `gemmtune bench --json` writes it: {}", source, why.what());
  }
}

}  // namespace gemmtune
