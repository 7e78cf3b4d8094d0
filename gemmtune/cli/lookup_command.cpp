#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gemmtune/cli/command.h"
#include "gemmtune/cli/format_option.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/core/csv.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/json.h"
#include "gemmtune/core/text.h"
#include "gemmtune/device/device.h"
#include "gemmtune/dispatch/aiter_folder.h"
#include "gemmtune/dispatch/capture/capture_file.h"
#include "gemmtune/dispatch/environment.h"
#include "gemmtune/dispatch/explain.h"
#include "gemmtune/dispatch/index/load_tables.h"
#include "gemmtune/dispatch/lookup_log.h"
#include "gemmtune/dispatch/moe_lookup.h"
#include "gemmtune/table/sheet/known_columns.h"

namespace gemmtune {
namespace {

struct LookupFlags {
  std::vector<std::string> tables{};
  std::string gfx{};
  std::int64_t cu_num{};
  std::string device{};
  std::string format{};
  std::string aiter{};
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

/// An empty file may be a table of any kind.
bool is_moe_file(const std::filesystem::path& path) {
  const auto text = read_file(path);
  const auto first_line = trim(std::string_view(text).substr(0, text.find('\n')));
  return !first_line.empty() && is_moe_table(sheet_of(parse_csv(first_line, path.string())));
}

/// Tables of fused MoE, likewise.
std::vector<std::filesystem::path> moe_tables_of(const LookupFlags& flags, const Environment& environment) {
  if (flags.tables.empty()) return environment.moe_tables;
  std::vector<std::filesystem::path> tables;
  for (const auto& list : flags.tables)
    for (auto& path : split_paths(list))
      if (is_moe_file(path)) tables.push_back(std::move(path));
  return tables;
}

nlohmann::json as_json(const MoeQuestion& question, const std::optional<MoeAnswer>& answer) {
  nlohmann::json value{{"problem", to_string(question)}, {"match", answer ? "row" : "fallback"}};
  if (!answer) return value;
  value.update({{"tuned_token", answer->tuned_token},
                {"other_act_type", answer->is_other_activation},
                {"kernel_name1", answer->kernel1},
                {"kernel_name2", answer->kernel2},
                {"block_m", answer->block_m},
                {"ksplit", answer->ksplit},
                {"time_us", answer->time_us},
                {"where", answer->where}});
  return value;
}

std::string moe_text(const std::optional<MoeAnswer>& answer) {
  if (!answer) return "fallback: no row serves it, and AITER's own rules choose";
  auto kernels = answer->kernel1.empty() ? std::string("no first stage") : answer->kernel1;
  if (!answer->kernel2.empty()) kernels += " + " + answer->kernel2;
  return fmt::format("{}, block_m {}, ksplit {}, {} us (tuned for {} tokens{}, {})", kernels, answer->block_m,
                     answer->ksplit, shortest(answer->time_us), answer->tuned_token,
                     answer->is_other_activation ? " and another act_type" : "", answer->where);
}

/// "--device cpu:0 (x86-64-avx2, 8 units: the tables have rows for it)".
std::string devices_here(const TableIndex& index) {
  std::vector<std::string> here;
  for (const auto& device : list_devices()) {
    const auto is_it = [&](const auto& d) { return d.gfx == device.arch && d.cu_num == device.cu_num; };
    here.push_back(fmt::format("--device {} ({}, {} units{})", device_id(device), device.arch, device.cu_num,
                               std::ranges::any_of(index.devices(), is_it) ? ": the tables have rows for it" : ""));
  }
  return join(here, "; ");
}

/// The tables that the command line names or, if it names none, those of the environment.
std::vector<TableSource> tables_of(const LookupFlags& flags, const Environment& environment) {
  if (flags.tables.empty()) return environment.tables;
  std::vector<TableSource> tables;
  for (const auto& list : flags.tables)
    for (const auto& path : split_paths(list))
      if (!flags.format.empty() || !is_moe_file(path)) tables.push_back(table_source(path, flags.format));
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
    options.add_option("--aiter", flags_.aiter);
    options.add_option("--format", flags_.format);
    options.add_option("--gfx", flags_.gfx);
    options.add_option("--cu-num,--cu_num", flags_.cu_num).positive();
    options.add_option("--device", flags_.device);
    options.add_option("--nearest", flags_.nearest).in_range(1, 1024);
    options.add_flag("--explain", flags_.explain);
    options.add_flag("--json", flags_.json);
  }

  int run() override {
    auto environment = environment_for(flags_);
    if (!flags_.aiter.empty()) add_aiter(environment);
    for (const auto& note : environment.notes) print_note("gemmtune: {}\n", note);
    device_ = asked_device(flags_, environment);
    const auto loaded =
        load_tables(known_tables(environment), {.rules = {.nearest_factor = flags_.nearest}, .live_gfx = device_.gfx});
    for (const auto& note : loaded.notes) print_note("gemmtune: {}\n", note);
    require_device(loaded.index);
    moe_.emplace(moe_tables_of(flags_, environment));
    if (environment.log_lookups) log_.emplace(stderr_sink());
    const int code = answer_all(loaded.index);
    if (environment.capture) capture(*environment.capture);
    return code;
  }

 private:
  /// As if its variables named what AITER reads without them.
  void add_aiter(Environment& environment) const {
    auto found = aiter_tables(flags_.aiter);
    environment.tables.insert(environment.tables.end(), found.tables.begin(), found.tables.end());
    environment.moe_tables.insert(environment.moe_tables.end(), found.moe_tables.begin(), found.moe_tables.end());
  }

  std::vector<TableSource> known_tables(const Environment& environment) const {
    auto tables = tables_of(flags_, environment);
    if (tables.empty() && moe_tables_of(flags_, environment).empty())
      fail(ErrorCode::usage,
           "no tables: add --table FILE, or set the variable of the format, such as GEMMTUNE_CONFIG_A16W16=FILE");
    return tables;
  }

  void require_device(const TableIndex& index) const {
    if (!device_.gfx.empty() && device_.cu_num > 0) return;
    std::vector<std::string> devices;
    for (const auto& d : index.devices()) devices.push_back(fmt::format("--gfx {} --cu-num {}", d.gfx, d.cu_num));
    fail(ErrorCode::usage, "for which device? This machine has {}. The tables have rows for {}", devices_here(index),
         devices.empty() ? "none" : join(devices, "; "));
  }

  /// What AITER_TUNE_GEMM=1 asks for: the problems are written down as those of a serving process are.
  void capture(const CaptureOptions& options) const {
    add_to_capture_file(options.path, captured_);
    print_note("gemmtune: {} problem{} added to {}\n", captured_.size(), captured_.size() == 1 ? "" : "s",
               options.path.string());
  }

  CapturedProblem captured(const Problem& problem, const Answer& answer) const {
    return {.gfx = device_.gfx,
            .cu_num = device_.cu_num,
            .problem = problem,
            .match = answer.match,
            .calls = 1,
            .tuned_m = answer.tuned_m,
            .expected_us = answer.choice == nullptr ? 0 : answer.choice->time_us};
  }

  /// Whether a row serves the call.
  bool answer_moe(const std::string& text, nlohmann::json& list) {
    auto question = parse_moe_question(text);
    question.gfx = std::string(without_features(device_.gfx));
    question.cu_num = device_.cu_num;
    const auto answer = moe_->lookup(question);
    if (flags_.json)
      list.push_back(as_json(question, answer));
    else
      print_text("{}: {}\n", to_string(question), moe_text(answer));
    return answer.has_value();
  }

  int answer_all(const TableIndex& index) {
    const auto key = device_key(device_.gfx, device_.cu_num);
    bool all_have_rows = true;
    auto list = nlohmann::json::array();
    for (const auto& text : flags_.problems) {
      if (is_moe_question(text)) {
        all_have_rows = answer_moe(text, list) && all_have_rows;
        continue;
      }
      const auto problem = parse_problem(text);
      const auto answer = index.lookup(problem, key);
      all_have_rows = all_have_rows && answer.match != MatchKind::fallback;
      captured_.push_back(captured(problem, answer));
      if (log_) log_->note(problem, answer);
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
  std::optional<LookupLog> log_{};
  std::optional<MoeTables> moe_{};
  std::vector<CapturedProblem> captured_{};
};

}  // namespace

std::unique_ptr<Command> make_lookup_command() { return std::make_unique<LookupCommand>(); }

}  // namespace gemmtune
