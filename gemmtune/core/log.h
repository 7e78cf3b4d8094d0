// Messages go to spdlog's default logger on stderr, so that stdout is free for results and protocols.
#pragma once

namespace gemmtune {

enum class Verbosity { quiet, normal, verbose };

/// Sets up the default logger for this process. Uses colour on a terminal only.
void start_logging(Verbosity verbosity);

}  // namespace gemmtune
