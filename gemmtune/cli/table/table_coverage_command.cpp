#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>

#include "gemmtune/cli/format_option.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/cli/table/table_commands.h"
#include "gemmtune/cli/text_grid.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/json.h"
#include "gemmtune/core/text.h"
#include "gemmtune/dispatch/aiter_folder.h"
#include "gemmtune/dispatch/coverage.h"
#include "gemmtune/dispatch/index/load_tables.h"
#include "gemmtune/shapes/shape_list.h"
#include "gemmtune/table/guess_format.h"

namespace gemmtune {
namespace {

struct CoverageFlags {
  std::vector<std::string> tables{};
  std::string aiter{};
  std::string shapes{};
  std::string format{};
  std::string gfx{};
  std::int64_t cu_num{};
  double default_slowdown{CoverageQuestion{}.default_slowdown};
  std::size_t worst{10};
  bool weights{};
  bool json{};
};

constexpr std::array kinds{MatchKind::exact, MatchKind::padded_fine, MatchKind::padded_coarse, MatchKind::nearest,
                           MatchKind::fallback};

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

std::string percent(double part, double whole) { return fmt::format("{:.1f} %", 100 * share(part, whole)); }

std::vector<std::string> row_of(std::string_view name, const KindCoverage& kind, const KindCoverage& total) {
  return {std::string(name),
          std::to_string(kind.problems),
          fmt::format("{:g}", kind.calls),
          percent(kind.calls, total.calls),
          fmt::format("{:.1f}", kind.now_us / 1e3),
          fmt::format("{:.1f}", kind.gain_us / 1e3)};
}

std::string kinds_text(const Coverage& coverage) {
  const auto total = coverage.total();
  std::vector<std::vector<std::string>> rows{{"match", "shapes", "calls", "of calls", "ms", "ms to gain"}};
  for (const auto kind : kinds) rows.push_back(row_of(to_string(kind), coverage.of(kind), total));
  rows.push_back(row_of("all", total, total));
  return text_grid(rows, {Align::left, Align::right, Align::right, Align::right, Align::right, Align::right});
}

std::string worst_text(const Coverage& coverage, std::size_t count) {
  std::vector<std::vector<std::string>> rows{{"shape", "match", "calls", "us now", "us to gain", "a call"}};
  for (const auto& [asked, match, tuned_m, now_us, gain_us] : coverage.problems) {
    if (rows.size() > count || gain_us <= 0) break;
    rows.push_back({to_string(asked.problem),
                    match == MatchKind::fallback ? std::string(to_string(match))
                                                 : fmt::format("{} M={}", to_string(match), tuned_m),
                    fmt::format("{:g}", asked.calls), fmt::format("{:.1f}", now_us),
                    fmt::format("{:.1f}", asked.calls * gain_us), fmt::format("{:.1f}", gain_us)});
  }
  if (rows.size() == 1) return "";
  return "\nWorth tuning first:\n" +
         text_grid(rows, {Align::left, Align::left, Align::right, Align::right, Align::right, Align::right});
}

nlohmann::ordered_json to_json_value(const KindCoverage& kind) {
  return {
      {"shapes", kind.problems}, {"calls", kind.calls}, {"now_us", kind.now_us}, {"estimated_gain_us", kind.gain_us}};
}

nlohmann::ordered_json to_json_value(const CoveredProblem& problem) {
  return {{"problem", to_string(problem.asked.problem)},
          {"calls", problem.asked.calls},
          {"match", to_string(problem.match)},
          {"tuned_m", problem.tuned_m},
          {"now_us", problem.now_us},
          {"estimated_gain_us", problem.gain_us}};
}

class TableCoverageCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("tables", flags_.tables);
    options.add_option("--aiter", flags_.aiter);
    options.add_option("--shapes", flags_.shapes).required();
    options.add_flag("--weights", flags_.weights);
    options.add_option("--format", flags_.format);
    options.add_option("--gfx", flags_.gfx);
    options.add_option("--cu-num,--cu_num", flags_.cu_num).positive();
    options.add_option("--default-slowdown", flags_.default_slowdown).in_range(1.0, 1000.0);
    options.add_option("--worst", flags_.worst);
    options.add_flag("--json", flags_.json);
  }

  int run() override {
    for (const auto& list : flags_.tables)
      for (const auto& path : split_paths(list)) sources_.push_back(table_source(path, flags_.format));
    if (!flags_.aiter.empty()) std::ranges::copy(aiter_tables(flags_.aiter).tables, std::back_inserter(sources_));
    if (sources_.empty()) fail(ErrorCode::usage, "expected one table or more, or --aiter DIR");
    const auto loaded = load_tables(sources_, {.rules = {}, .live_gfx = flags_.gfx});
    for (const auto& note : loaded.notes) print_note("gemmtune: {}\n", note);
    choose_device(loaded.index);
    const auto problems = read_problems();
    const auto coverage = coverage_of(loaded.index, time_model_of(sources_, flags_.gfx, flags_.cu_num),
                                      {.problems = problems,
                                       .device = device_key(flags_.gfx, flags_.cu_num),
                                       .default_slowdown = flags_.default_slowdown});
    print_text("{}", flags_.json ? json_of(coverage) : text_of(coverage));
    return 0;
  }

 private:
  /// The device that the flags name, or the one that all rows are for.
  void choose_device(const TableIndex& index) {
    const auto& known = index.devices();
    if (flags_.gfx.empty() && flags_.cu_num == 0 && known.size() == 1) {
      flags_.gfx = known.front().gfx;
      flags_.cu_num = known.front().cu_num;
    }
    if (!flags_.gfx.empty() && flags_.cu_num > 0) return;
    std::vector<std::string> choices;
    for (const auto& device : known) choices.push_back(fmt::format("--gfx {} --cu-num {}", device.gfx, device.cu_num));
    fail(ErrorCode::usage, "for which device? The tables have rows for: {}",
         choices.empty() ? "none" : join(choices, "; "));
  }

  /// A list that does not state its format has the format of the tables.
  std::vector<WeighedProblem> read_problems() const {
    const auto document = read_csv(flags_.shapes);
    const auto guess = flags_.format.empty() ? guess_format(document) : std::nullopt;
    const auto list =
        read_shapes(document, guess ? gemmtune::defaults_of(*guess) : defaults_of(sources_.front().family));
    for (const auto& [where, reason] : list.rejected) print_note("{}: {}\n", where, reason);
    std::vector<WeighedProblem> problems;
    for (const auto& shape : list.shapes) problems.push_back({shape.problem, flags_.weights ? shape.weight : 1});
    return problems;
  }

  std::string text_of(const Coverage& coverage) const {
    auto text = fmt::format("{} on {} with {} units\n\n", flags_.shapes, flags_.gfx, flags_.cu_num);
    text += kinds_text(coverage) + worst_text(coverage, flags_.worst);
    text += fmt::format(
        "\nTimes are the tables'. Gains are estimates from neighbouring rows; a fallback is taken to run {:g} times as "
        "long "
        "as a tuned kernel.\n",
        flags_.default_slowdown);
    if (coverage.unknown > 0)
      text += fmt::format("Of {} shapes no row tells how long they take; they count 0.\n", coverage.unknown);
    return text;
  }

  std::string json_of(const Coverage& coverage) const {
    nlohmann::ordered_json value{{"gfx", flags_.gfx},
                                 {"cu_num", flags_.cu_num},
                                 {"default_slowdown", flags_.default_slowdown},
                                 {"unknown", coverage.unknown}};
    for (const auto kind : kinds) value["matches"][std::string(to_string(kind))] = to_json_value(coverage.of(kind));
    value["problems"] = nlohmann::ordered_json::array();
    for (const auto& problem : coverage.problems) value["problems"].push_back(to_json_value(problem));
    return json_text(value) + '\n';
  }

  CoverageFlags flags_;
  std::vector<TableSource> sources_;
};

}  // namespace

std::unique_ptr<Command> make_table_coverage_command() { return std::make_unique<TableCoverageCommand>(); }

}  // namespace gemmtune
