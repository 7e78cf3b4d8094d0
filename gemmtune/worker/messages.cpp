#include "gemmtune/worker/messages.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/core/json.h"
#include "gemmtune/worker/json_fields.h"
#include "gemmtune/worker/quote.h"

namespace gemmtune {

using nlohmann::json;

namespace {

/// Deeper than any message. Without a limit, a hostile line of brackets would take a thousand times its length in
/// memory.
constexpr int depth_limit = 16;

constexpr std::pair<DeviceKind, const char*> kinds[] = {
    {DeviceKind::cpu, "cpu"}, {DeviceKind::cuda, "cuda"}, {DeviceKind::hip, "hip"}};

json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json numbers(const std::vector<double>& values) {
  json result = json::array();
  for (const double value : values) result.push_back(number(value));
  return result;
}

json to_json_value(const Timing& timing) {
  return {{"median_us", number(timing.median_us)},
          {"min_us", number(timing.min_us)},
          {"mean_us", number(timing.mean_us)},
          {"low_us", number(timing.low_us)},
          {"high_us", number(timing.high_us)},
          {"dispersion", number(timing.dispersion)},
          {"sample_count", timing.sample_count},
          {"samples_us", numbers(timing.samples_us)},
          {"turns", timing.turns},
          {"pack_us", number(timing.pack_us)},
          {"packed_bytes", timing.packed_bytes},
          {"workspace_bytes", timing.workspace_bytes},
          {"clock_mhz", number(timing.clock_mhz)},
          {"throttled", timing.throttled}};
}

json to_json_value(const Accuracy& accuracy) {
  return {{"err_ratio", number(accuracy.err_ratio)},
          {"worst_error", number(accuracy.worst_error)},
          {"worst_share_of_bound", number(accuracy.worst_share_of_bound)},
          {"unwritten", accuracy.unwritten},
          {"checked", accuracy.checked},
          {"guards_intact", accuracy.guards_intact}};
}

json to_json_value(const Cost& cost) {
  return {{"kernel_s", number(cost.kernel_s)},
          {"prepare_s", number(cost.prepare_s)},
          {"operands_s", number(cost.operands_s)},
          {"reference_s", number(cost.reference_s)},
          {"verify_s", number(cost.verify_s)}};
}

Timing timing_from(const JsonFields& fields) {
  Timing timing{.median_us = fields.number("median_us"),
                .min_us = fields.number("min_us"),
                .mean_us = fields.number("mean_us"),
                .low_us = fields.number("low_us"),
                .high_us = fields.number("high_us"),
                .dispersion = fields.number("dispersion"),
                .sample_count = fields.count("sample_count")};
  if (fields.has("samples_us")) timing.samples_us = fields.numbers("samples_us");
  if (fields.has("turns")) timing.turns = fields.counts("turns");
  if (fields.has("pack_us")) timing.pack_us = fields.number("pack_us");
  if (fields.has("packed_bytes")) timing.packed_bytes = fields.count("packed_bytes");
  if (fields.has("workspace_bytes")) timing.workspace_bytes = fields.count("workspace_bytes");
  if (fields.has("clock_mhz")) timing.clock_mhz = fields.number("clock_mhz");
  if (fields.has("throttled")) timing.throttled = fields.flag("throttled");
  return timing;
}

Accuracy accuracy_from(const JsonFields& fields) {
  return {.err_ratio = fields.number("err_ratio"),
          .worst_error = fields.number("worst_error"),
          .worst_share_of_bound = fields.number("worst_share_of_bound"),
          .unwritten = fields.count("unwritten"),
          .checked = fields.count("checked"),
          .guards_intact = fields.flag("guards_intact")};
}

Cost cost_from(const JsonFields& fields) {
  return {.kernel_s = fields.number("kernel_s"),
          .prepare_s = fields.number("prepare_s"),
          .operands_s = fields.number("operands_s"),
          .reference_s = fields.number("reference_s"),
          .verify_s = fields.number("verify_s")};
}

std::vector<Param> params_from(const JsonFields& fields) {
  std::vector<Param> params;
  for (const json& pair : fields.array("params")) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string()) {
      fail_unexpected(fmt::format("{}[{}]", fields.path_of("params"), params.size()), "a pair of strings", pair);
    }
    params.push_back({pair[0].get<std::string>(), pair[1].get<std::string>()});
  }
  return params;
}

Candidate candidate_from(const JsonFields& fields) {
  Candidate candidate{.family = fields.text("family"), .name = fields.text("name")};
  if (fields.has("params")) candidate.params = params_from(fields);
  if (fields.has("split_k")) candidate.split_k = fields.integer("split_k");
  if (fields.has("library_id")) candidate.library_id = fields.integer("library_id");
  if (fields.has("is_default")) candidate.is_default = fields.flag("is_default");
  return candidate;
}

template <typename T>
T named(const JsonFields& fields, const char* key, std::optional<T> (*parse)(std::string_view)) {
  const std::string text = fields.text(key);
  if (const auto value = parse(text)) return *value;
  fail(ErrorCode::protocol, "{}: {} is none of the names it may have", fields.path_of(key), quote(text));
}

std::optional<DeviceKind> parse_kind(std::string_view text) {
  for (const auto& [kind, name] : kinds) {
    if (text == name) return kind;
  }
  return std::nullopt;
}

int index_from(const JsonFields& fields) {
  const std::int64_t index = fields.count("index");
  if (index > std::numeric_limits<int>::max()) fail_unexpected(fields.path_of("index"), "a device's number", index);
  return static_cast<int>(index);
}

MeasurePolicy measure_policy_from(const JsonFields& fields) {
  return {.warmup = fields.count("warmup"),
          .min_samples = fields.count("min_samples"),
          .max_samples = fields.count("max_samples"),
          .max_sampling_s = fields.number("max_sampling_s"),
          .target_dispersion = fields.number("target_dispersion"),
          .keep_samples = fields.flag("keep_samples"),
          .cold_cache = fields.flag("cold_cache"),
          .cold_instructions = fields.has("cold_instructions") && fields.flag("cold_instructions")};
}

VerifyPolicy verify_policy_from(const JsonFields& fields) {
  return {.err_ratio_limit = fields.number("err_ratio_limit"),
          .atol = fields.number("atol"),
          .rtol = fields.number("rtol"),
          .full_reference_flops = fields.count("full_reference_flops")};
}

}  // namespace

json to_json_value(const Candidate& candidate) {
  json params = json::array();
  for (const Param& param : candidate.params) params.push_back(json::array({param.key, param.value}));
  return {{"family", candidate.family},         {"name", candidate.name},
          {"params", std::move(params)},        {"split_k", candidate.split_k},
          {"library_id", candidate.library_id}, {"is_default", candidate.is_default}};
}

json to_json_value(const Evaluation& evaluation) {
  return {{"candidate", to_json_value(evaluation.candidate)},
          {"stage", to_string(evaluation.stage)},
          {"outcome", to_string(evaluation.outcome)},
          {"reason", evaluation.reason},
          {"timing", to_json_value(evaluation.timing)},
          {"accuracy", to_json_value(evaluation.accuracy)},
          {"cost", to_json_value(evaluation.cost)}};
}

json to_json_value(const EvaluationPolicy& policy) {
  const MeasurePolicy& measure = policy.measure;
  const VerifyPolicy& verify = policy.verify;
  return {{"stage", to_string(policy.stage)},
          {"seed", policy.seed},
          {"measure",
           {{"warmup", measure.warmup},
            {"min_samples", measure.min_samples},
            {"max_samples", measure.max_samples},
            {"max_sampling_s", number(measure.max_sampling_s)},
            {"target_dispersion", number(measure.target_dispersion)},
            {"keep_samples", measure.keep_samples},
            {"cold_cache", measure.cold_cache},
            {"cold_instructions", measure.cold_instructions}}},
          {"verify",
           {{"err_ratio_limit", number(verify.err_ratio_limit)},
            {"atol", number(verify.atol)},
            {"rtol", number(verify.rtol)},
            {"full_reference_flops", verify.full_reference_flops}}}};
}

json to_json_value(const DeviceInfo& device) {
  const char* kind = "";
  for (const auto& [value, name] : kinds) {
    if (value == device.kind) kind = name;
  }
  return {{"kind", kind},
          {"index", device.index},
          {"name", device.name},
          {"arch", device.arch},
          {"cu_num", device.cu_num},
          {"last_level_cache_bytes", device.last_level_cache_bytes},
          {"memory_bytes", device.memory_bytes},
          {"features", device.features},
          {"driver", device.driver},
          {"libraries", device.libraries}};
}

json to_json_value(const FamilySupport& support) {
  return {{"family", support.family},
          {"version", support.version},
          {"why_not", support.why_not},
          {"candidate_count", support.candidate_count}};
}

Candidate candidate_from_json(const json& value) { return candidate_from(JsonFields(value, "candidate")); }

Evaluation evaluation_from_json(const json& value) {
  const JsonFields fields(value, "evaluation");
  Evaluation evaluation{.candidate = candidate_from(fields.object("candidate")),
                        .stage = named(fields, "stage", parse_stage),
                        .outcome = named(fields, "outcome", parse_outcome)};
  if (evaluation.outcome != Outcome::ok || fields.has("reason")) evaluation.reason = fields.shown_text("reason");
  if (fields.has("timing")) evaluation.timing = timing_from(fields.object("timing"));
  if (fields.has("accuracy")) evaluation.accuracy = accuracy_from(fields.object("accuracy"));
  if (fields.has("cost")) evaluation.cost = cost_from(fields.object("cost"));
  return evaluation;
}

EvaluationPolicy policy_from_json(const json& value) {
  const JsonFields fields(value, "policy");
  return {.stage = named(fields, "stage", parse_stage),
          .measure = measure_policy_from(fields.object("measure")),
          .verify = verify_policy_from(fields.object("verify")),
          .seed = fields.unsigned_integer("seed")};
}

DeviceInfo device_from_json(const json& value) {
  const JsonFields fields(value, "device");
  DeviceInfo device{.kind = named(fields, "kind", parse_kind),
                    .index = index_from(fields),
                    .name = fields.shown_text("name"),
                    .arch = fields.shown_text("arch"),
                    .cu_num = fields.count("cu_num")};
  if (fields.has("last_level_cache_bytes")) device.last_level_cache_bytes = fields.count("last_level_cache_bytes");
  if (fields.has("memory_bytes")) device.memory_bytes = fields.count("memory_bytes");
  if (fields.has("features")) device.features = fields.shown_texts("features");
  if (fields.has("driver")) device.driver = fields.shown_text("driver");
  if (fields.has("libraries")) device.libraries = fields.shown_text_map("libraries");
  return device;
}

FamilySupport support_from_json(const json& value) {
  const JsonFields fields(value, "family");
  FamilySupport support{.family = fields.shown_text("family"), .version = fields.shown_text("version")};
  if (fields.has("why_not")) support.why_not = fields.shown_text("why_not");
  if (fields.has("candidate_count")) support.candidate_count = fields.count("candidate_count");
  return support;
}

json parse_message(const std::string& line) {
  if (json_levels(line) > depth_limit) fail(ErrorCode::protocol, "not a message: nested deeper than {}", depth_limit);
  json message;
  try {
    message = json::parse(line);
  } catch (const json::parse_error& error) {
    fail(ErrorCode::protocol, "not JSON (at byte {}): {}", error.byte, quote(line));
  } catch (const json::exception&) {
    fail(ErrorCode::protocol, "not JSON: {}", quote(line));
  }
  if (!message.is_object()) fail_unexpected("message", "an object", message);
  if (!message.contains("type") || !message["type"].is_string()) {
    fail(ErrorCode::protocol, "message.type: expected a string in {}", quote(line));
  }
  return message;
}

}  // namespace gemmtune
