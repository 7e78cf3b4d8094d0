#include "gemmtune/cli/command_group.h"

#include <utility>

#include "gemmtune/cli/help.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

class CommandGroup final : public Command {
 public:
  CommandGroup(std::string name, std::vector<NamedCommand> commands)
      : name_(std::move(name)), commands_(std::move(commands)) {}

  void declare(Options& options) override {
    for (const auto& [name, command] : commands_) {
      auto under = options.add_command(name, name_ + "-" + name);
      command->declare(under);
      options_.push_back(under);
    }
  }

  int run() override {
    for (std::size_t i = 0; i < commands_.size(); ++i)
      if (options_[i].is_chosen()) return commands_[i].command->run();
    write_text(help_text(name_));
    return exit_code(ErrorCode::usage);
  }

 private:
  std::string name_;
  std::vector<NamedCommand> commands_;
  std::vector<Options> options_{};  // the options of each command
};

}  // namespace

std::unique_ptr<Command> make_command_group(std::string name, std::vector<NamedCommand> commands) {
  return std::make_unique<CommandGroup>(std::move(name), std::move(commands));
}

}  // namespace gemmtune
