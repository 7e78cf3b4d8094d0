#include <fmt/format.h>

#include "gemmtune/cli/output.h"
#include "gemmtune/cli/table/table_commands.h"
#include "gemmtune/cli/table/table_inputs.h"
#include "gemmtune/cli/table/table_output.h"
#include "gemmtune/core/error.h"
#include "gemmtune/table/sheet/layout.h"
#include "gemmtune/table/sheet/merge.h"
#include "gemmtune/table/sheet/sheet_filter.h"

namespace gemmtune {
namespace {

std::vector<SizeInterval> intervals_of(const std::string& option, const std::vector<std::string>& texts) {
  std::vector<SizeInterval> intervals;
  for (const auto& text : texts) {
    const auto interval = parse_interval(text);
    if (!interval)
      fail(ErrorCode::usage, "{}: found '{}', expected a whole number or a range as 1:128, :128, 4096:", option, text);
    intervals.push_back(*interval);
  }
  return intervals;
}

/// Several values separated by commas. The option may also be repeated.
void add_list(Options& options, const std::string& name, std::vector<std::string>& values) {
  options.add_option(name, values).split_at(',').one_value_each();
}

class TableFilterCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("tables", tables_).required();
    output_.declare(options);
    add_list(options, "--gfx", filter_.gfx);
    add_list(options, "--cu_num,--cu-num", cu_num_);
    add_list(options, "--m", m_);
    add_list(options, "--n", n_);
    add_list(options, "--k", k_);
    add_list(options, "--libtype", filter_.libtype);
    add_list(options, "--kernel", filter_.kernel);
    options.add_flag("--tuned-only", filter_.timed_only);
  }

  int run() override {
    output_.insist_on_new_file(tables_);
    const auto sheets = read_sheets(tables_);
    insist_on_comparable(sheets);
    const auto all = concatenated(sheets);
    const auto some = filtered(all, filter_for(all));
    output_.write(some);
    print_note("{} of {} rows\n", some.rows.size(), all.rows.size());
    return 0;
  }

 private:
  RowFilter filter_for(const Sheet& sheet) const {
    auto filter = filter_;
    const auto add = [&](const std::string& option, const std::string& column, const std::vector<std::string>& texts) {
      if (!texts.empty()) filter.sizes.push_back({.column = column, .intervals = intervals_of(option, texts)});
    };
    add("--cu_num", "cu_num", cu_num_);
    add("--m", sheet.kind == TableKind::fused_moe ? "token" : "M", m_);
    add("--n", "N", n_);
    add("--k", "K", k_);
    return filter;
  }

  std::vector<std::string> tables_;
  TableOutput output_;
  RowFilter filter_;
  std::vector<std::string> cu_num_;
  std::vector<std::string> m_;
  std::vector<std::string> n_;
  std::vector<std::string> k_;
};

}  // namespace

std::unique_ptr<Command> make_table_filter_command() { return std::make_unique<TableFilterCommand>(); }

}  // namespace gemmtune
