#include <fmt/format.h>

#include "gemmtune/cli/command_group.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {
namespace {

class StoreCheckCommand final : public Command {
 public:
  void declare(Options& options) override { options.add_option("store", store_).required(); }

  int run() override {
    const auto store = TrialStore::open_read_only(store_);
    const auto faults = store.check();
    for (const auto& fault : faults) print_text("{}\n", fault);
    if (faults.empty())
      print_text("{}: sound, with {} trials\n", store_, store.all().size());
    else
      print_text("{}: {} faults\n", store_, faults.size());
    return faults.empty() ? 0 : 1;
  }

 private:
  std::string store_;
};

}  // namespace

std::unique_ptr<Command> make_store_command() {
  std::vector<NamedCommand> commands;
  commands.push_back({"check", std::make_unique<StoreCheckCommand>()});
  return make_command_group("store", std::move(commands));
}

}  // namespace gemmtune
