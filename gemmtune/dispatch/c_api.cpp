// The installed C interface. Nothing may be thrown through it.
#include <exception>
#include <memory>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/dispatch/c_values.h"
#include "gemmtune/dispatch/dispatcher.h"
#include "gemmtune/dispatch/environment.h"
#include "gemmtune/dispatch/explain.h"
#include "include/gemmtune/dispatch.h"

using gemmtune::Answer;
using gemmtune::c_problem;
using gemmtune::Choice;
using gemmtune::complain;
using gemmtune::guarded;
using gemmtune::has_known_size;
using gemmtune::Problem;
using gemmtune::problem_of;
using gemmtune::unknown_size;

struct gemmtune_dispatcher {
  gemmtune::Dispatcher dispatcher;
};

namespace {

static_assert(static_cast<int>(gemmtune::Reload::failed) == GEMMTUNE_RELOAD_FAILED);

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

gemmtune::Variables variables_for(const gemmtune_dispatcher_options& options) {
  return options.tables == nullptr ? gemmtune::process_variables() : gemmtune::process_variables_without_tables();
}

gemmtune::DispatcherOptions options_of(const gemmtune_dispatcher_options& raw) {
  auto environment = gemmtune::read_environment(variables_for(raw));
  if (raw.gfx != nullptr) environment.gfx = raw.gfx;
  if (raw.cu_num != 0) environment.cu_num = raw.cu_num;
  if (environment.gfx.empty() || environment.cu_num < 1)
    fail(gemmtune::ErrorCode::usage, "no device: set gfx and cu_num, or GPU_ARCHS and CU_NUM");
  if (raw.reload_interval_ms > 0) environment.reload_interval = std::chrono::milliseconds(raw.reload_interval_ms);
  const auto presence =
      environment.reload_interval.count() > 0 ? gemmtune::Presence::awaited : gemmtune::Presence::required;
  if (raw.tables != nullptr)
    for (const auto& path : gemmtune::split_paths(raw.tables))
      environment.tables.push_back(gemmtune::guess_source(path, presence));
  auto options = gemmtune::options_from(environment, sink_of(raw));
  if (raw.nearest_factor != 0) options.rules.nearest_factor = raw.nearest_factor;
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
