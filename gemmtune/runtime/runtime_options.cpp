#include "gemmtune/runtime/runtime_options.h"

namespace gemmtune {

/// The runtime logs what really runs, so that the dispatcher need not log what it found.
RuntimeOptions runtime_options(const Environment& environment, const LineSink& say) {
  RuntimeOptions options{.dispatcher = options_from(environment, say),
                         .logs_plans = environment.log_lookups,
                         .has_summary = environment.wants_summary,
                         .say = say};
  options.dispatcher.log_lookups = false;
  return options;
}

}  // namespace gemmtune
