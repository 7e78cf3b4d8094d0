#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gemmtune/cli/command.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/json.h"
#include "gemmtune/core/text.h"
#include "gemmtune/device/device.h"
#include "gemmtune/dispatch/environment.h"
#include "gemmtune/dispatch/explain.h"
#include "gemmtune/dispatch/index/load_tables.h"

namespace gemmtune {
namespace {

struct LookupFlags {
  std::vector<std::string> tables{};
  std::string gfx{};
  std::int64_t cu_num{};
  std::string device{};
  std::int64_t nearest{MatchRules{}.nearest_factor};
  bool explain{};
  bool json{};
  std::vector<std::string> problems{};
};

nlohmann::json as_json(const Choice* choice) {
  if (choice == nullptr) return nullptr;
  return {{"libtype", choice->libtype}, {"kernel_name", choice->kernel_name}, {"kernel_id", choice->kernel_id},
          {"split_k", choice->split_k}, {"time_us", choice->time_us},         {"source", choice->source},
          {"line", choice->line}};
}

nlohmann::json as_json(const Problem& problem, const Answer& answer) {
  return {
      {"problem", to_string(problem)},    {"match", to_string(answer.match)},       {"tuned_m", answer.tuned_m},
      {"choice", as_json(answer.choice)}, {"runner_up", as_json(answer.runner_up)}, {"expected_us", answer.expected_us},
      {"is_scaled", answer.is_scaled}};
}

DeviceInfo device_named(const std::string& id) {
  for (auto& device : list_devices())
    if (device_id(device) == id || (device_id(device) == id + ":0")) return device;
  fail(ErrorCode::no_device, "--device: there is no '{}'; see gemmtune devices", id);
}

/// The tables that the command line names or, if it names none, those of the environment.
std::vector<TableSource> tables_of(const LookupFlags& flags, const Environment& environment) {
  if (flags.tables.empty()) return environment.tables;
  std::vector<TableSource> tables;
  for (const auto& list : flags.tables)
    for (const auto& path : split_paths(list)) tables.push_back(guess_source(path));
  return tables;
}

/// The environment. If --table names the tables, those of the environment need not exist.
Environment environment_for(const LookupFlags& flags) {
  const auto process = process_variables();
  return read_environment([&](std::string_view name) {
    const bool names_tables = name.find("_CONFIG_") != std::string_view::npos;
    return names_tables && !flags.tables.empty() ? std::nullopt : process(name);
  });
}

AskedDevice asked_device(const LookupFlags& flags, const Environment& environment) {
  AskedDevice asked{.gfx = environment.gfx, .cu_num = environment.cu_num};
  if (!flags.device.empty()) {
    const auto device = device_named(flags.device);
    asked = {.gfx = device.arch, .cu_num = device.cu_num};
  }
  if (!flags.gfx.empty()) asked.gfx = flags.gfx;
  if (flags.cu_num > 0) asked.cu_num = flags.cu_num;
  return asked;
}

class LookupCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("problem", flags_.problems).required();
    options.add_option("-t,--table", flags_.tables).one_value_each();
    options.add_option("--gfx", flags_.gfx);
    options.add_option("--cu-num,--cu_num", flags_.cu_num).positive();
    options.add_option("--device", flags_.device);
    options.add_option("--nearest", flags_.nearest).in_range(1, 1024);
    options.add_flag("--explain", flags_.explain);
    options.add_flag("--json", flags_.json);
  }

  int run() override {
    const auto environment = environment_for(flags_);
    for (const auto& note : environment.notes) print_note("gemmtune: {}\n", note);
    device_ = asked_device(flags_, environment);
    const auto loaded =
        load_tables(known_tables(environment), {.rules = {.nearest_factor = flags_.nearest}, .live_gfx = device_.gfx});
    for (const auto& note : loaded.notes) print_note("gemmtune: {}\n", note);
    require_device(loaded.index);
    return answer_all(loaded.index);
  }

 private:
  std::vector<TableSource> known_tables(const Environment& environment) const {
    auto tables = tables_of(flags_, environment);
    if (tables.empty()) fail(ErrorCode::usage, "no tables: add --table FILE, or set GEMMTUNE_CONFIG_<FAMILY>");
    return tables;
  }

  void require_device(const TableIndex& index) const {
    if (!device_.gfx.empty() && device_.cu_num > 0) return;
    std::vector<std::string> devices;
    for (const auto& d : index.devices()) devices.push_back(fmt::format("--gfx {} --cu-num {}", d.gfx, d.cu_num));
    fail(ErrorCode::usage, "for which device? Add --gfx and --cu-num, or --device. The tables have rows for: {}",
         devices.empty() ? "none" : join(devices, "; "));
  }

  int answer_all(const TableIndex& index) const {
    const auto key = device_key(device_.gfx, device_.cu_num);
    bool all_have_rows = true;
    auto list = nlohmann::json::array();
    for (const auto& text : flags_.problems) {
      const auto problem = parse_problem(text);
      const auto answer = index.lookup(problem, key);
      all_have_rows = all_have_rows && answer.match != MatchKind::fallback;
      if (flags_.json)
        list.push_back(json_of(index, problem, answer));
      else
        print(index, problem, answer);
    }
    if (flags_.json) print_text("{}\n", json_text(list));
    return all_have_rows ? 0 : 1;
  }

  nlohmann::json json_of(const TableIndex& index, const Problem& problem, const Answer& answer) const {
    auto value = as_json(problem, answer);
    if (flags_.explain) value["explanation"] = explain(index, problem, device_);
    return value;
  }

  void print(const TableIndex& index, const Problem& problem, const Answer& answer) const {
    print_text("{}: {}\n", to_string(problem), answer_text(answer));
    if (!flags_.explain) return;
    for (const auto& line : explain(index, problem, device_)) print_text("  {}\n", line);
  }

  LookupFlags flags_;
  AskedDevice device_;
};

}  // namespace

std::unique_ptr<Command> make_lookup_command() { return std::make_unique<LookupCommand>(); }

}  // namespace gemmtune
