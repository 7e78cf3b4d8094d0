#include "gemmtune/runtime/runtime_options.h"

#include <memory>
#include <mutex>

namespace gemmtune {
namespace {

/// The dispatcher and the runtime speak from threads of their own.
LineSink one_at_a_time(const LineSink& say) {
  return [say, mutex = std::make_shared<std::mutex>()](const std::string& line) {
    const std::lock_guard lock(*mutex);
    say(line);
  };
}

}  // namespace

/// The runtime logs what really runs, so that the dispatcher need not log what it found.
RuntimeOptions runtime_options(const Environment& environment, const LineSink& say) {
  const auto sink = one_at_a_time(say);
  RuntimeOptions options{.dispatcher = options_from(environment, sink),
                         .logs_plans = environment.log_lookups,
                         .has_summary = environment.wants_summary,
                         .say = sink};
  options.dispatcher.log_lookups = false;
  options.reload_interval = environment.reload_interval;
  return options;
}

}  // namespace gemmtune
