#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gemmtune/cli/command_group.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/cli/text_grid.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/json.h"
#include "gemmtune/core/text.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {
namespace {

std::string as_json(const std::vector<Quarantined>& entries) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& entry : entries)
    list.push_back({{"family", entry.candidate.family},
                    {"kernel", entry.candidate.name},
                    {"problem", to_string(entry.problem)},
                    {"device", entry.device},
                    {"since_utc", entry.time_utc},
                    {"outcome", to_string(entry.outcome)},
                    {"reason", entry.reason},
                    {"reproducer", entry.reproducer}});
  return json_text(list);
}

std::string as_text(const std::vector<Quarantined>& entries) {
  if (entries.empty()) return "nothing is quarantined";
  std::vector<std::vector<std::string>> rows{{"kernel", "shape", "device", "since (UTC)", "outcome", "reason"}};
  for (const auto& entry : entries)
    rows.push_back({entry.candidate.name, to_string(entry.problem), entry.device, entry.time_utc,
                    std::string(to_string(entry.outcome)), entry.reason});
  return fmt::format("{}\n{} quarantined", trim(text_grid(rows, {})), entries.size());
}

class QuarantineListCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("--store", store_).required();
    options.add_flag("--json", json_);
  }

  int run() override {
    const auto store = TrialStore::open_read_only(store_);
    const auto entries = store.quarantined();
    for (const auto& row : store.damaged()) print_note("gemmtune: {}: {}; skipped\n", store_, to_string(row));
    print_text("{}\n", json_ ? as_json(entries) : as_text(entries));
    return 0;
  }

 private:
  std::string store_;
  bool json_{};
};

class QuarantineLiftCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("kernels", kernels_);
    options.add_option("--store", store_).required();
  }

  int run() override {
    static_cast<void>(TrialStore::open_read_only(store_));  // a mistyped name must not make a new store
    auto store = TrialStore::open(store_);
    const auto entries = chosen(store.quarantined());
    for (const auto& entry : entries) {
      store.lift(entry);
      print_text("lifted: {} on {}, {}\n", entry.candidate.name, to_string(entry.problem), entry.device);
    }
    print_text("{} lifted; the next run may try them again\n", entries.size());
    return 0;
  }

 private:
  std::vector<Quarantined> chosen(std::vector<Quarantined> entries) const {
    if (kernels_.empty()) return entries;
    for (const auto& kernel : kernels_)
      if (std::ranges::find(entries, kernel, name_of) == entries.end())
        fail(ErrorCode::input, "{}: '{}' is not quarantined", store_, kernel);
    std::erase_if(entries, [&](const Quarantined& entry) {
      return std::ranges::find(kernels_, name_of(entry)) == kernels_.end();
    });
    return entries;
  }

  static const std::string& name_of(const Quarantined& entry) { return entry.candidate.name; }

  std::vector<std::string> kernels_;
  std::string store_;
};

}  // namespace

std::unique_ptr<Command> make_quarantine_command() {
  std::vector<NamedCommand> commands;
  commands.push_back({"list", std::make_unique<QuarantineListCommand>()});
  commands.push_back({"lift", std::make_unique<QuarantineLiftCommand>()});
  return make_command_group("quarantine", std::move(commands));
}

}  // namespace gemmtune
