#include "gemmtune/core/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "gemmtune/core/visible.h"

namespace gemmtune {
namespace {

/// The message, in which names of kernels, files and workers may stand.
class VisibleMessage final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& line) override {
    const auto text = visible_lines({message.payload.data(), message.payload.size()});
    line.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<VisibleMessage>(); }
};

}  // namespace

void start_logging(Verbosity verbosity) {
  auto logger = std::make_shared<spdlog::logger>("gemmtune", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<VisibleMessage>('*').set_pattern("%H:%M:%S %^%l%$ %*");
  logger->set_formatter(std::move(formatter));
  logger->set_level(verbosity == Verbosity::quiet     ? spdlog::level::warn
                    : verbosity == Verbosity::verbose ? spdlog::level::debug
                                                      : spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace gemmtune
