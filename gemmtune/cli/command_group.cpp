#include "gemmtune/cli/command_group.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <utility>

#include "gemmtune/cli/help.h"
#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

class CommandGroup final : public Command {
 public:
  CommandGroup(std::string name, std::vector<NamedCommand> commands)
      : name_(std::move(name)), commands_(std::move(commands)) {}

  void declare(CLI::App& app) override {
    app_ = &app;
    app.require_subcommand(0, 1);
    for (const auto& [name, command] : commands_) {
      auto* subcommand = app.add_subcommand(name);
      show_help_page(*subcommand, name_ + "-" + name);
      command->declare(*subcommand);
    }
  }

  int run() override {
    for (const auto& [name, command] : commands_)
      if (app_->got_subcommand(name)) return command->run();
    std::cout << help_text(name_);
    return exit_code(ErrorCode::usage);
  }

 private:
  std::string name_;
  std::vector<NamedCommand> commands_;
  CLI::App* app_{};
};

}  // namespace

std::unique_ptr<Command> make_command_group(std::string name, std::vector<NamedCommand> commands) {
  return std::make_unique<CommandGroup>(std::move(name), std::move(commands));
}

}  // namespace gemmtune
