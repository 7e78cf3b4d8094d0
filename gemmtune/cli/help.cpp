#include "gemmtune/cli/help.h"

#include <CLI/CLI.hpp>
#include <memory>

namespace gemmtune {

void show_help_page(CLI::App& app, const std::string& command) {
  app.formatter(std::make_shared<CLI::FormatterLambda>(
      [command](const CLI::App*, const std::string&, CLI::AppFormatMode) { return std::string(help_text(command)); }));
}

}  // namespace gemmtune
