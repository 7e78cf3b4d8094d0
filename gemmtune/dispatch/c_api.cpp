// The installed C interface. Nothing may be thrown through it.
#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <new>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/dispatch/dispatcher.h"
#include "gemmtune/dispatch/environment.h"
#include "gemmtune/dispatch/explain.h"
#include "include/gemmtune/dispatch.h"

using gemmtune::Activation;
using gemmtune::Answer;
using gemmtune::Choice;
using gemmtune::DType;
using gemmtune::Major;
using gemmtune::MatchKind;
using gemmtune::Problem;
using gemmtune::Scaling;

struct gemmtune_dispatcher {
  gemmtune::Dispatcher dispatcher;
};

namespace {

/// The last value of each enum of the C interface. An enumerator that is added on one side only does not compile.
constexpr int last_type = GEMMTUNE_TF32;
constexpr int last_scaling_value = GEMMTUNE_MX_1X32;
constexpr int last_major = GEMMTUNE_MN_MAJOR;
constexpr int last_activation_value = GEMMTUNE_SILU;
static_assert(static_cast<int>(gemmtune::last_dtype) == last_type && static_cast<int>(DType::e4m3) == GEMMTUNE_E4M3);
static_assert(static_cast<int>(gemmtune::last_scaling) == last_scaling_value &&
              static_cast<int>(Scaling::row) == GEMMTUNE_PER_ROW);
static_assert(static_cast<int>(Major::mn) == last_major && static_cast<int>(Major::k) == GEMMTUNE_K_MAJOR);
static_assert(static_cast<int>(gemmtune::last_activation) == last_activation_value &&
              static_cast<int>(Activation::gelu_erf) == GEMMTUNE_GELU_ERF);
static_assert(gemmtune::match_kind_count == GEMMTUNE_FALLBACK + 1 &&
              static_cast<int>(MatchKind::nearest) == GEMMTUNE_NEAREST);
static_assert(static_cast<int>(gemmtune::Reload::failed) == GEMMTUNE_RELOAD_FAILED);

/// So far there is one version of each struct. When a struct grows, its earlier sizes are accepted here, and missing
/// fields are 0.
template <typename Struct>
bool has_known_size(const Struct& given) noexcept {
  return given.struct_size == sizeof(Struct);
}

constexpr const char* unknown_size =
    "struct_size is none that this library knows: start from the struct's init function";

gemmtune_status status_of(gemmtune::ErrorCode code) {
  switch (code) {
    case gemmtune::ErrorCode::usage:
    case gemmtune::ErrorCode::no_device:
      return GEMMTUNE_INVALID_ARGUMENT;
    case gemmtune::ErrorCode::input:
      return GEMMTUNE_BAD_INPUT;
    case gemmtune::ErrorCode::io:
      return GEMMTUNE_SYSTEM_ERROR;
    default:
      return GEMMTUNE_INTERNAL_ERROR;
  }
}

gemmtune_status complain(gemmtune_message* message, gemmtune_status status, const char* text) noexcept {
  if (message == nullptr) return status;
  const auto length = std::min(std::strlen(text), sizeof message->text - 1);
  std::memcpy(message->text, text, length);
  message->text[length] = '\0';
  return status;
}

/// Runs the work and turns an exception into a status and a message.
template <typename Work>
gemmtune_status guarded(gemmtune_message* message, const Work& work) noexcept {
  try {
    work();
    return complain(message, GEMMTUNE_OK, "");
  } catch (const gemmtune::Error& error) {
    return complain(message, status_of(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return complain(message, GEMMTUNE_SYSTEM_ERROR, "out of memory");
  } catch (const std::exception& error) {
    return complain(message, GEMMTUNE_INTERNAL_ERROR, error.what());
  }
}

bool is_up_to(int value, int last) noexcept { return value >= 0 && value <= last; }

bool is_sound(const gemmtune_problem& p) noexcept {
  const auto is_type = [](int value) { return is_up_to(value, last_type); };
  const auto is_scaling = [](int value) { return is_up_to(value, last_scaling_value); };
  const auto least_distance = std::min({p.lda, p.ldw, p.ldc, p.stride_a, p.stride_w, p.stride_c});
  return is_type(p.a_type) && is_type(p.w_type) && is_type(p.out_type) && is_scaling(p.a_scaling) &&
         is_scaling(p.w_scaling) && is_up_to(p.a_major, last_major) && is_up_to(p.w_major, last_major) &&
         is_up_to(p.activation, last_activation_value) && least_distance >= 0;
}

/// A problem with an invalid field becomes one without sizes, which nothing serves.
Problem problem_of(const gemmtune_problem& p) noexcept {
  if (!has_known_size(p) || !is_sound(p)) return {};
  return {.m = p.m,
          .n = p.n,
          .k = p.k,
          .batch = p.batch,
          .a = {static_cast<DType>(p.a_type), static_cast<Scaling>(p.a_scaling)},
          .w = {static_cast<DType>(p.w_type), static_cast<Scaling>(p.w_scaling)},
          .out = static_cast<DType>(p.out_type),
          .epilogue = {.bias = p.has_bias != 0,
                       .activation = static_cast<Activation>(p.activation),
                       .residual = p.has_residual != 0},
          .packed = p.is_packed != 0,
          .layout = {.a = static_cast<Major>(p.a_major),
                     .w = static_cast<Major>(p.w_major),
                     .a_strides = {p.lda, p.stride_a},
                     .w_strides = {p.ldw, p.stride_w},
                     .c_strides = {p.ldc, p.stride_c}}};
}

gemmtune_problem c_problem(const Problem& p) {
  const auto& [a, w, a_strides, w_strides, c_strides] = p.layout;
  return {.struct_size = sizeof(gemmtune_problem),
          .m = p.m,
          .n = p.n,
          .k = p.k,
          .batch = p.batch,
          .a_type = static_cast<int>(p.a.type),
          .a_scaling = static_cast<int>(p.a.scaling),
          .w_type = static_cast<int>(p.w.type),
          .w_scaling = static_cast<int>(p.w.scaling),
          .out_type = static_cast<int>(p.out),
          .has_bias = p.epilogue.bias ? 1 : 0,
          .is_packed = p.packed ? 1 : 0,
          .a_major = static_cast<int>(a),
          .w_major = static_cast<int>(w),
          .activation = static_cast<int>(p.epilogue.activation),
          .has_residual = p.epilogue.residual ? 1 : 0,
          .lda = a_strides.leading_dimension,
          .ldw = w_strides.leading_dimension,
          .ldc = c_strides.leading_dimension,
          .stride_a = a_strides.batch,
          .stride_w = w_strides.batch,
          .stride_c = c_strides.batch};
}

gemmtune_choice c_choice(const Choice* choice) noexcept {
  if (choice == nullptr) return {"", "", -1, 0, 0, "", 0};
  return {.libtype = choice->libtype.data(),
          .kernel_name = choice->kernel_name.data(),
          .kernel_id = choice->kernel_id,
          .split_k = choice->split_k,
          .time_us = choice->time_us,
          .source = choice->source.data(),
          .line = choice->line};
}

gemmtune_answer c_answer(const Answer& answer) noexcept {
  return {.struct_size = sizeof(gemmtune_answer),
          .match = static_cast<gemmtune_match>(answer.match),
          .tuned_m = answer.tuned_m,
          .has_choice = answer.choice != nullptr ? 1 : 0,
          .choice = c_choice(answer.choice),
          .has_runner_up = answer.runner_up != nullptr ? 1 : 0,
          .runner_up = c_choice(answer.runner_up),
          .expected_us = answer.expected_us,
          .is_scaled = answer.is_scaled ? 1 : 0};
}

gemmtune::LineSink sink_of(const gemmtune_dispatcher_options& options) {
  if (options.say == nullptr) return gemmtune::stderr_sink();
  return [say = options.say, context = options.context](const std::string& line) { say(line.c_str(), context); };
}

/// The environment. If the caller names tables, those of the environment are left out, because they need not exist
/// then.
gemmtune::Variables variables_for(const gemmtune_dispatcher_options& options) {
  if (options.tables == nullptr) return gemmtune::process_variables();
  return [process = gemmtune::process_variables()](std::string_view name) {
    return name.find("_CONFIG_") != std::string_view::npos ? std::nullopt : process(name);
  };
}

gemmtune::DispatcherOptions options_of(const gemmtune_dispatcher_options& raw) {
  auto environment = gemmtune::read_environment(variables_for(raw));
  if (raw.gfx != nullptr) environment.gfx = raw.gfx;
  if (raw.cu_num != 0) environment.cu_num = raw.cu_num;
  if (environment.gfx.empty() || environment.cu_num < 1)
    fail(gemmtune::ErrorCode::usage, "no device: set gfx and cu_num, or GPU_ARCHS and CU_NUM");
  if (raw.tables != nullptr)
    for (const auto& path : gemmtune::split_paths(raw.tables))
      environment.tables.push_back(gemmtune::guess_source(path));
  auto options = gemmtune::options_from(environment, sink_of(raw));
  if (raw.nearest_factor != 0) options.rules.nearest_factor = raw.nearest_factor;
  options.reload_interval = std::chrono::milliseconds(raw.reload_interval_ms);
  return options;
}

std::string explanation(const gemmtune::Dispatcher& dispatcher, const Problem& problem) {
  const auto& options = dispatcher.options();
  const auto index = dispatcher.index();
  return gemmtune::join(gemmtune::explain(*index, problem, {options.gfx, options.cu_num}), "\n");
}

}  // namespace

const char* gemmtune_version(void) { return GEMMTUNE_VERSION; }

gemmtune_status gemmtune_parse_problem(const char* text, gemmtune_problem* problem, gemmtune_message* message) {
  if (text == nullptr || problem == nullptr) return complain(message, GEMMTUNE_INVALID_ARGUMENT, "a null pointer");
  if (!has_known_size(*problem)) return complain(message, GEMMTUNE_INVALID_ARGUMENT, unknown_size);
  return guarded(message, [&] { *problem = c_problem(gemmtune::parse_problem(text)); });
}

gemmtune_status gemmtune_dispatcher_open(const gemmtune_dispatcher_options* options, gemmtune_dispatcher** dispatcher,
                                         gemmtune_message* message) {
  if (dispatcher == nullptr) return complain(message, GEMMTUNE_INVALID_ARGUMENT, "a null pointer");
  *dispatcher = nullptr;
  if (options != nullptr && !has_known_size(*options))
    return complain(message, GEMMTUNE_INVALID_ARGUMENT, unknown_size);
  const gemmtune_dispatcher_options defaults = gemmtune_dispatcher_options_init();
  return guarded(message, [&] {
    *dispatcher = new gemmtune_dispatcher{gemmtune::Dispatcher(options_of(options == nullptr ? defaults : *options))};
  });
}

void gemmtune_dispatcher_close(gemmtune_dispatcher* dispatcher) { delete dispatcher; }

gemmtune_status gemmtune_lookup(const gemmtune_dispatcher* dispatcher, const gemmtune_problem* problem,
                                gemmtune_answer* answer) {
  if (dispatcher == nullptr || problem == nullptr || answer == nullptr) return GEMMTUNE_INVALID_ARGUMENT;
  if (!has_known_size(*problem) || !has_known_size(*answer)) return GEMMTUNE_INVALID_ARGUMENT;
  *answer = c_answer(dispatcher->dispatcher.lookup(problem_of(*problem)));
  return GEMMTUNE_OK;
}

size_t gemmtune_explain(const gemmtune_dispatcher* dispatcher, const gemmtune_problem* problem, char* text,
                        size_t size) {
  if (dispatcher == nullptr || problem == nullptr) return 0;
  try {
    const auto lines = explanation(dispatcher->dispatcher, problem_of(*problem));
    if (size > 0 && text != nullptr) text[lines.copy(text, size - 1)] = '\0';
    return lines.size();
  } catch (const std::exception&) {
    return 0;
  }
}

gemmtune_reload gemmtune_dispatcher_poll(gemmtune_dispatcher* dispatcher) {
  if (dispatcher == nullptr) return GEMMTUNE_RELOAD_FAILED;
  try {
    return static_cast<gemmtune_reload>(dispatcher->dispatcher.poll());
  } catch (const std::exception&) {
    return GEMMTUNE_RELOAD_FAILED;
  }
}
