#include "gemmtune/trials/context.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/trials/json_cell.h"

namespace gemmtune {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 3> kind_names{"cpu", "cuda", "hip"};

std::string kind_text(DeviceKind kind) { return std::string(kind_names.at(static_cast<std::size_t>(kind))); }

DeviceKind parse_kind(const std::string& text) {
  for (std::size_t i = 0; i < kind_names.size(); ++i) {
    if (text == kind_names[i]) return static_cast<DeviceKind>(i);
  }
  fail(ErrorCode::input, "it has a device of unknown kind '{}'", visible_start(text, 100));
}

// The names of drivers need not be UTF-8.
std::string dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

json common_part(const DeviceInfo& device) {
  return {{"kind", kind_text(device.kind)},
          {"name", device.name},
          {"arch", device.arch},
          {"cu_num", device.cu_num},
          {"last_level_cache_bytes", device.last_level_cache_bytes},
          {"features", device.features},
          {"driver", device.driver},
          {"libraries", device.libraries}};
}

json policy_part(const EvaluationPolicy& policy) {
  const MeasurePolicy& measure = policy.measure;
  const VerifyPolicy& verify = policy.verify;
  json part = {{"stage", to_string(policy.stage)},
               {"seed", policy.seed},
               {"measure",
                {measure.warmup, measure.min_samples, measure.max_samples, measure.max_sampling_s,
                 measure.target_dispersion, measure.keep_samples, measure.cold_cache}},
               {"verify", {verify.err_ratio_limit, verify.atol, verify.rtol, verify.full_reference_flops}}};
  // Written only when set, so that policies in older stores, which lack the field, keep their identity.
  if (measure.cold_instructions) part["cold_instructions"] = true;
  return part;
}

Stage read_stage(Query& query) {
  const std::string text = query.text();
  const auto stage = parse_stage(text);
  if (!stage) fail(ErrorCode::input, "it has the unknown stage '{}'", visible_start(text, 100));
  return *stage;
}

MeasurePolicy read_measure(Query& query) {
  return {.warmup = query.integer(),
          .min_samples = query.integer(),
          .max_samples = query.integer(),
          .max_sampling_s = query.real(),
          .target_dispersion = query.real(),
          .keep_samples = query.flag(),
          .cold_cache = query.flag()};
}

VerifyPolicy read_verify(Query& query) {
  return {.err_ratio_limit = query.real(),
          .atol = query.real(),
          .rtol = query.real(),
          .full_reference_flops = query.integer()};
}

}  // namespace

std::string identity_of(const TrialContext& context) {
  return dump({{"device", common_part(context.device)},
               {"family_version", context.family_version},
               {"policy", policy_part(context.policy)}});
}

std::string describe(const DeviceInfo& device) {
  json description = common_part(device);
  description["index"] = device.index;
  description["memory_bytes"] = device.memory_bytes;
  return dump(description);
}

void bind_device(Query& query, const DeviceInfo& device) {
  query.bind(kind_text(device.kind)).bind(device.index).bind(device.name).bind(device.arch);
  query.bind(device.cu_num).bind(device.last_level_cache_bytes).bind(device.memory_bytes);
  query.bind(dump(device.features)).bind(device.driver).bind(dump(device.libraries));
}

void bind_context(Query& query, const TrialContext& context) {
  const MeasurePolicy& measure = context.policy.measure;
  const VerifyPolicy& verify = context.policy.verify;
  query.bind(context.family_version).bind(to_string(context.policy.stage));
  query.bind(measure.warmup).bind(measure.min_samples).bind(measure.max_samples).bind(measure.max_sampling_s);
  query.bind(measure.target_dispersion).bind(int{measure.keep_samples}).bind(int{measure.cold_cache});
  query.bind(verify.err_ratio_limit).bind(verify.atol).bind(verify.rtol).bind(verify.full_reference_flops);
  query.bind(static_cast<std::int64_t>(context.policy.seed)).bind(int{measure.cold_instructions});
}

DeviceInfo read_device(Query& query) {
  return {.kind = parse_kind(query.text()),
          .index = static_cast<int>(query.integer()),
          .name = query.shown_text(),
          .arch = query.shown_text(),
          .cu_num = query.integer(),
          .last_level_cache_bytes = query.integer(),
          .memory_bytes = query.integer(),
          .features = read_json_cell<std::vector<std::string>>("features", query.text()),
          .driver = query.shown_text(),
          .libraries = read_json_cell<std::map<std::string, std::string>>("libraries", query.text())};
}

TrialContext read_context(Query& query, DeviceInfo device) {
  TrialContext context{.device = std::move(device), .family_version = query.text()};
  context.policy = {.stage = read_stage(query),
                    .measure = read_measure(query),
                    .verify = read_verify(query),
                    .seed = static_cast<std::uint64_t>(query.integer())};
  context.policy.measure.cold_instructions = query.flag();
  return context;
}

}  // namespace gemmtune
