#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gemmtune/cli/output.h"
#include "gemmtune/cli/table/table_commands.h"
#include "gemmtune/cli/table/triton_inputs.h"
#include "gemmtune/core/json.h"
#include "gemmtune/table/triton/triton_params.h"

namespace gemmtune {
namespace {

using Json = nlohmann::ordered_json;

std::string params_text(const TritonEntry& entry) {
  std::string text;
  for (const auto& param : entry.params) text += fmt::format(" {}={}", param.key, triton_cell(param));
  return text;
}

std::string range_text(const ServedRange& range) {
  if (range.to == 0) return fmt::format("M {} and up", range.from);
  return range.from == range.to ? fmt::format("M {}", range.from) : fmt::format("M {} to {}", range.from, range.to);
}

Json params_json(const TritonEntry& entry) {
  Json object = Json::object();
  for (const auto& [key, value] : entry.params) object[key] = Json::parse(value);
  return object;
}

class TableTritonResolveCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("files", paths_).required();
    options.add_option("--m", sizes_).split_at(',').one_value_each().positive();
    options.add_flag("--json", json_);
  }

  int run() override {
    for (const auto& named : read_triton_files(paths_)) {
      text_ += fmt::format("{}: keys are {}\n", named.file.source, to_string(keys_of(named.file)));
      if (sizes_.empty()) list_keys(named);
      for (const auto m : sizes_) resolve(named, m);
    }
    print_text("{}", json_ ? json_text(list_) + '\n' : text_);
    return complete_ ? 0 : 1;
  }

 private:
  void list_keys(const NamedTritonFile& named) {
    const auto& file = named.file;
    const auto bounds = bounds_of(named.name, file);
    const auto ranges = served_ranges(file, bounds);
    const auto asked = keys_asked(file, bounds);
    for (std::size_t i = 0; i < file.entries.size(); ++i) {
      const auto dead = ranges[i] ? "" : why_unreachable(file, i, bounds, asked);
      const auto reach = ranges[i] ? range_text(*ranges[i]) : "never: " + dead;
      text_ += fmt::format("  {:<12} {}\n", file.entries[i].key, reach);
      Json row{{"file", file.source}, {"key", file.entries[i].key}, {"reached", ranges[i].has_value()}};
      if (ranges[i]) row["from"] = ranges[i]->from;
      if (ranges[i] && ranges[i]->to > 0) row["to"] = ranges[i]->to;
      if (!ranges[i]) row["reason"] = dead;
      list_.push_back(std::move(row));
    }
  }

  void resolve(const NamedTritonFile& named, std::int64_t m) {
    const auto match = config_for(named.file, m, bounds_of(named.name, named.file));
    complete_ = complete_ && match;
    Json row{{"file", named.file.source}, {"m", m}, {"key", nullptr}};
    if (!match) text_ += fmt::format("  M={:<6} no key serves it\n", m);
    if (match) {
      const auto& entry = named.file.entries[match->entry];
      text_ += fmt::format("  M={:<6} {}{}:{}\n", m, entry.key, match->tuned ? "" : " (not tuned for it)",
                           params_text(entry));
      row["key"] = entry.key;
      row["tuned"] = match->tuned;
      row["params"] = params_json(entry);
    }
    list_.push_back(std::move(row));
  }

  std::vector<std::string> paths_;
  std::vector<std::int64_t> sizes_;
  bool json_{};
  bool complete_{true};
  std::string text_;
  Json list_ = Json::array();
};

}  // namespace

std::unique_ptr<Command> make_table_triton_resolve_command() { return std::make_unique<TableTritonResolveCommand>(); }

}  // namespace gemmtune
