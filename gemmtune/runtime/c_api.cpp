// The installed C interface. Nothing may be thrown through it.
#include <algorithm>
#include <memory>
#include <string>

#include "gemmtune/core/text.h"
#include "gemmtune/dispatch/c_values.h"
#include "gemmtune/dispatch/environment.h"
#include "gemmtune/runtime/runtime.h"
#include "include/gemmtune/runtime.h"

using gemmtune::complain;
using gemmtune::guarded;
using gemmtune::has_known_size;
using gemmtune::is_sound;
using gemmtune::LaunchOperands;
using gemmtune::MatchKind;
using gemmtune::Plan;
using gemmtune::PlanStatus;
using gemmtune::Refusal;
using gemmtune::unknown_size;

struct gemmtune_runtime {
  gemmtune::Runtime runtime;
  std::string device;
};

namespace {

constexpr const char* null_pointer = "a null pointer";

// A gemmtune_plan is a Plan: programs hold plans by their own count of holders.
const Plan& plan_of(const gemmtune_plan* plan) { return *reinterpret_cast<const Plan*>(plan); }
gemmtune_plan* handle_of(const Plan* plan) { return reinterpret_cast<gemmtune_plan*>(const_cast<Plan*>(plan)); }

const std::byte* address(const void* given) noexcept { return static_cast<const std::byte*>(given); }
std::byte* address(void* given) noexcept { return static_cast<std::byte*>(given); }

gemmtune_status status_of(PlanStatus status) noexcept {
  switch (status) {
    case PlanStatus::ready:
      return GEMMTUNE_OK;
    case PlanStatus::invalid:
      return GEMMTUNE_INVALID_ARGUMENT;
    case PlanStatus::unsupported:
      return GEMMTUNE_UNSUPPORTED;
    case PlanStatus::not_ready:
      return GEMMTUNE_NOT_READY;
    case PlanStatus::wrong_process:
      return GEMMTUNE_WRONG_DEVICE;
  }
  return GEMMTUNE_INTERNAL_ERROR;
}

gemmtune_status status_of(Refusal refusal) noexcept {
  switch (refusal) {
    case Refusal::none:
      return GEMMTUNE_OK;
    case Refusal::missing_operand:
      return GEMMTUNE_INVALID_ARGUMENT;
    case Refusal::misaligned:
      return GEMMTUNE_MISALIGNED;
    case Refusal::small_workspace:
      return GEMMTUNE_WORKSPACE_TOO_SMALL;
    case Refusal::wrong_packing:
      return GEMMTUNE_WRONG_PACKING;
    case Refusal::wrong_device:
      return GEMMTUNE_WRONG_DEVICE;
    case Refusal::failed:
      return GEMMTUNE_LAUNCH_FAILED;
  }
  return GEMMTUNE_INTERNAL_ERROR;
}

/// The status of a refusal, whose text is made only if somebody reads it.
template <typename Text>
gemmtune_status refuse(gemmtune_message* message, Refusal refusal, const Text& text) noexcept {
  const auto status = status_of(refusal);
  if (message == nullptr) return status;
  std::string made;
  guarded(nullptr, [&] { made = text(); });  // without memory, the text stays empty
  return complain(message, status, made.c_str());
}

gemmtune::LineSink sink_of(const gemmtune_runtime_options& options) {
  if (options.say == nullptr) return gemmtune::stderr_sink();
  return [say = options.say, context = options.context](const std::string& line) { say(line.c_str(), context); };
}

bool is_policy(int value) { return value == 0 || value == 1; }

gemmtune::RuntimeOptions options_of(const gemmtune_runtime_options& raw) {
  if (!is_policy(raw.fallback) || !is_policy(raw.compile) || !is_policy(raw.stale) || raw.workspace_limit_bytes < 0 ||
      raw.reload_interval_ms < 0 || raw.nearest_factor < 0)
    fail(gemmtune::ErrorCode::usage, "an option has a value that this library does not know");
  auto environment = gemmtune::read_environment(raw.tables == nullptr ? gemmtune::process_variables()
                                                                      : gemmtune::process_variables_without_tables());
  if (raw.reload_interval_ms > 0) environment.reload_interval = std::chrono::milliseconds(raw.reload_interval_ms);
  const auto presence =
      environment.reload_interval.count() > 0 ? gemmtune::Presence::awaited : gemmtune::Presence::required;
  if (raw.tables != nullptr)
    for (const auto& path : gemmtune::split_paths(raw.tables))
      environment.tables.push_back(gemmtune::guess_source(path, presence));
  auto options = gemmtune::runtime_options(environment, sink_of(raw));
  if (raw.device != nullptr) options.device = raw.device;
  if (raw.nearest_factor != 0) options.dispatcher.rules.nearest_factor = raw.nearest_factor;
  options.planner = {.fallback = static_cast<gemmtune::FallbackPolicy>(raw.fallback),
                     .stale = static_cast<gemmtune::StalePolicy>(raw.stale),
                     .workspace_limit_bytes = static_cast<std::size_t>(raw.workspace_limit_bytes)};
  options.compile = static_cast<gemmtune::CompilePolicy>(raw.compile);
  return options;
}

/// "" or why the struct cannot be read.
const char* why_unreadable(const gemmtune_problem& problem) noexcept {
  if (!has_known_size(problem)) return unknown_size;
  return is_sound(problem) ? "" : "a field of the problem has a value that this library does not know";
}

LaunchOperands operands_of(const gemmtune_operands& o) noexcept {
  return {.at = {.a = address(o.a),
                 .a_scale = address(o.a_scale),
                 .w = address(o.w),
                 .w_scale = address(o.w_scale),
                 .bias = address(o.bias),
                 .residual = address(o.residual),
                 .c = address(o.c),
                 .packed_w = address(o.packed_w),
                 .workspace = address(o.workspace)},
          .packed_layout = o.packed_layout,
          .workspace_bytes = o.workspace_bytes};
}

gemmtune_plan_info info_of(const Plan& plan) noexcept {
  const auto& origin = plan.origin();
  const auto& rules = plan.rules();
  return {.struct_size = sizeof(gemmtune_plan_info),
          .match = static_cast<gemmtune_match>(origin.match),
          .tuned_m = origin.tuned_m,
          .libtype = plan.kernel()->family().c_str(),
          .kernel_name = plan.kernel()->name().c_str(),
          .source = origin.source.c_str(),
          .line = origin.line,
          .expected_us = origin.expected_us,
          .notes = origin.notes.c_str(),
          .workspace_bytes = rules.workspace_bytes,
          .packed_bytes = rules.packed_bytes,
          .packed_layout = rules.packed_layout,
          .alignment = rules.tensor_alignment,
          .scale_alignment = std::max(rules.a_scale_alignment, rules.w_scale_alignment)};
}

/// Throws Error{usage} for fields that are not known.
gemmtune::Quantisation quantisation_of(const gemmtune_quantisation& q) {
  const auto is_type = [](int type) { return type >= 0 && type <= static_cast<int>(gemmtune::last_dtype); };
  const bool is_scaling = q.scaling >= 0 && q.scaling <= static_cast<int>(gemmtune::last_scaling);
  if (!has_known_size(q)) fail(gemmtune::ErrorCode::usage, "{}", unknown_size);
  if (!is_type(q.from_type) || !is_type(q.to_type) || !is_scaling || q.leading_dimension < 0)
    fail(gemmtune::ErrorCode::usage, "a field of the quantisation has a value that this library does not know");
  return {.from = static_cast<gemmtune::DType>(q.from_type),
          .to = {static_cast<gemmtune::DType>(q.to_type), static_cast<gemmtune::Scaling>(q.scaling)},
          .rows = q.rows,
          .k = q.k,
          .leading_dimension = q.leading_dimension};
}

gemmtune_counters counters_of(const gemmtune::Totals& totals) noexcept {
  const auto planned = [&](MatchKind match) { return totals.plans[static_cast<std::size_t>(match)]; };
  return {.struct_size = sizeof(gemmtune_counters),
          .exact = planned(MatchKind::exact),
          .padded = planned(MatchKind::padded_fine) + planned(MatchKind::padded_coarse),
          .nearest = planned(MatchKind::nearest),
          .fallback = planned(MatchKind::fallback),
          .missed = totals.missed,
          .declined = totals.declined,
          .launches = totals.launches,
          .launches_tuned = totals.launches_tuned,
          .refused = totals.refused,
          .reloads = totals.reloads};
}

}  // namespace

gemmtune_status gemmtune_runtime_open(const gemmtune_runtime_options* options, gemmtune_runtime** runtime,
                                      gemmtune_message* message) {
  if (runtime == nullptr) return complain(message, GEMMTUNE_INVALID_ARGUMENT, null_pointer);
  *runtime = nullptr;
  if (options != nullptr && !has_known_size(*options))
    return complain(message, GEMMTUNE_INVALID_ARGUMENT, unknown_size);
  const gemmtune_runtime_options defaults = gemmtune_runtime_options_init();
  return guarded(message, [&] {
    auto opened = std::unique_ptr<gemmtune_runtime>(
        new gemmtune_runtime{gemmtune::Runtime(options_of(options == nullptr ? defaults : *options)), ""});
    opened->device = gemmtune::device_id(opened->runtime.device());
    *runtime = opened.release();
  });
}

void gemmtune_runtime_close(gemmtune_runtime* runtime) { delete runtime; }

const char* gemmtune_runtime_device(const gemmtune_runtime* runtime) {
  return runtime == nullptr ? "" : runtime->device.c_str();
}

gemmtune_status gemmtune_plan_problem_packed(gemmtune_runtime* runtime, const gemmtune_problem* problem,
                                             uint64_t packed_layout, gemmtune_plan** plan, gemmtune_message* message) {
  if (plan == nullptr) return complain(message, GEMMTUNE_INVALID_ARGUMENT, null_pointer);
  *plan = nullptr;
  if (runtime == nullptr || problem == nullptr) return complain(message, GEMMTUNE_INVALID_ARGUMENT, null_pointer);
  if (const char* why = why_unreadable(*problem); *why != '\0')
    return complain(message, GEMMTUNE_INVALID_ARGUMENT, why);
  auto status = GEMMTUNE_OK;
  const auto worked = guarded(message, [&] {
    auto answer =
        runtime->runtime.plan({.problem = gemmtune::problem_of_sound(*problem), .packed_layout = packed_layout});
    status = status_of(answer.status);
    if (status == GEMMTUNE_OK)
      *plan = handle_of(answer.plan.take());
    else
      fail(gemmtune::ErrorCode::unsupported, "{}", answer.why_not);
  });
  return status == GEMMTUNE_OK ? worked : status;
}

gemmtune_status gemmtune_plan_problem(gemmtune_runtime* runtime, const gemmtune_problem* problem, gemmtune_plan** plan,
                                      gemmtune_message* message) {
  return gemmtune_plan_problem_packed(runtime, problem, 0, plan, message);
}

void gemmtune_plan_retain(gemmtune_plan* plan) {
  if (plan != nullptr) plan_of(plan).retain();
}

void gemmtune_plan_release(gemmtune_plan* plan) {
  if (plan != nullptr) plan_of(plan).release();
}

gemmtune_status gemmtune_plan_get_info(const gemmtune_plan* plan, gemmtune_plan_info* info) {
  if (plan == nullptr || info == nullptr || !has_known_size(*info)) return GEMMTUNE_INVALID_ARGUMENT;
  *info = info_of(plan_of(plan));
  return GEMMTUNE_OK;
}

gemmtune_status gemmtune_pack_weights(const gemmtune_plan* plan, const void* w, const void* w_scale, void* packed,
                                      void* stream, gemmtune_message* message) {
  if (plan == nullptr) return complain(message, GEMMTUNE_INVALID_ARGUMENT, null_pointer);
  const gemmtune::Operands operands{.w = address(w), .w_scale = address(w_scale), .packed_w = address(packed)};
  auto refusal = Refusal::none;
  const auto worked = guarded(message, [&] { refusal = plan_of(plan).pack_weights(operands, stream); });
  if (refusal == Refusal::none) return worked;
  return refuse(message, refusal, [&] {
    return refusal == Refusal::wrong_device ? plan_of(plan).refusal_text(refusal, {}, plan_of(plan).stream(stream))
                                            : gemmtune::packing_refusal_text(plan_of(plan).rules(), operands);
  });
}

gemmtune_status gemmtune_launch(const gemmtune_plan* plan, const gemmtune_operands* operands, void* stream,
                                gemmtune_message* message) {
  if (plan == nullptr || operands == nullptr) return complain(message, GEMMTUNE_INVALID_ARGUMENT, null_pointer);
  if (!has_known_size(*operands)) return complain(message, GEMMTUNE_INVALID_ARGUMENT, unknown_size);
  const auto& planned = plan_of(plan);
  const auto given = operands_of(*operands);
  auto on = planned.stream(stream);
  const auto refusal = planned.launch(given, on);
  if (refusal == Refusal::none) return complain(message, GEMMTUNE_OK, "");
  return refuse(message, refusal, [&] { return planned.refusal_text(refusal, given, on); });
}

gemmtune_status gemmtune_prewarm(gemmtune_runtime* runtime, const gemmtune_problem* problems, size_t count,
                                 size_t* ready, gemmtune_message* message) {
  if (ready != nullptr) *ready = 0;
  if (runtime == nullptr || (problems == nullptr && count > 0))
    return complain(message, GEMMTUNE_INVALID_ARGUMENT, null_pointer);
  for (size_t i = 0; i < count; ++i)
    if (const char* why = why_unreadable(problems[i]); *why != '\0')
      return complain(message, GEMMTUNE_INVALID_ARGUMENT, why);
  auto status = GEMMTUNE_OK;
  const auto worked = guarded(message, [&] {
    std::vector<gemmtune::Problem> wanted;
    for (size_t i = 0; i < count; ++i) wanted.push_back(gemmtune::problem_of_sound(problems[i]));
    const auto done = runtime->runtime.prewarm(wanted);
    if (ready != nullptr) *ready = done.ready;
    status = status_of(done.first_failure.status);
    if (status != GEMMTUNE_OK) fail(gemmtune::ErrorCode::unsupported, "{}", done.first_failure.why_not);
  });
  return status == GEMMTUNE_OK ? worked : status;
}

gemmtune_reload gemmtune_runtime_poll(gemmtune_runtime* runtime) {
  if (runtime == nullptr) return GEMMTUNE_RELOAD_FAILED;
  auto reload = GEMMTUNE_RELOAD_FAILED;
  guarded(nullptr, [&] { reload = static_cast<gemmtune_reload>(runtime->runtime.poll()); });
  return reload;
}

gemmtune_status gemmtune_quantised_bytes(const gemmtune_quantisation* quantisation, size_t* value_bytes,
                                         size_t* scale_bytes, gemmtune_message* message) {
  if (quantisation == nullptr || value_bytes == nullptr || scale_bytes == nullptr)
    return complain(message, GEMMTUNE_INVALID_ARGUMENT, null_pointer);
  return guarded(message, [&] {
    const auto wanted = quantisation_of(*quantisation);
    if (const auto why = gemmtune::why_not_quantised(wanted); !why.empty())
      fail(gemmtune::ErrorCode::unsupported, "{}", why);
    const auto bytes = gemmtune::quantised_bytes(wanted);
    *value_bytes = static_cast<size_t>(bytes.values);
    *scale_bytes = static_cast<size_t>(bytes.scales);
  });
}

gemmtune_status gemmtune_quantise(gemmtune_runtime* runtime, const gemmtune_quantisation* quantisation,
                                  const void* from, void* values, void* scales, void* stream,
                                  gemmtune_message* message) {
  if (runtime == nullptr || quantisation == nullptr) return complain(message, GEMMTUNE_INVALID_ARGUMENT, null_pointer);
  return guarded(message, [&] {
    runtime->runtime.quantising().run(quantisation_of(*quantisation), {address(from), address(values), address(scales)},
                                      stream);
  });
}

gemmtune_status gemmtune_runtime_count(const gemmtune_runtime* runtime, gemmtune_counters* counters) {
  if (runtime == nullptr || counters == nullptr || !has_known_size(*counters)) return GEMMTUNE_INVALID_ARGUMENT;
  return guarded(nullptr, [&] { *counters = counters_of(runtime->runtime.totals()); });
}

size_t gemmtune_runtime_summary(const gemmtune_runtime* runtime, char* text, size_t size) {
  if (runtime == nullptr) return 0;
  size_t length = 0;
  guarded(nullptr, [&] {
    const auto lines = gemmtune::join(runtime->runtime.summary(), "\n");
    if (size > 0 && text != nullptr) text[lines.copy(text, size - 1)] = '\0';
    length = lines.size();
  });
  return length;
}
