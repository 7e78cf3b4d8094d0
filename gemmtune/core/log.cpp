#include "gemmtune/core/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace gemmtune {

void start_logging(Verbosity verbosity) {
  auto logger = std::make_shared<spdlog::logger>("gemmtune", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_pattern("%H:%M:%S %^%l%$ %v");
  logger->set_level(verbosity == Verbosity::quiet     ? spdlog::level::warn
                    : verbosity == Verbosity::verbose ? spdlog::level::debug
                                                      : spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace gemmtune
