#include "gemmtune/cli/bench/bench_tables.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "gemmtune/bench/duel.h"
#include "gemmtune/bench/result_grids.h"
#include "gemmtune/bench/table_choices.h"
#include "gemmtune/cli/bench/bench_output.h"
#include "gemmtune/cli/bench/bench_session.h"
#include "gemmtune/cli/format_option.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/cli/tune/tune_recorder.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"
#include "gemmtune/dispatch/environment.h"
#include "gemmtune/dispatch/index/load_tables.h"
#include "gemmtune/table/aiter_csv.h"
#include "gemmtune/tune/candidates.h"

namespace gemmtune {
namespace {

/// The tables determine what is measured; nothing is searched for.
BenchPlan table_plan(const BenchFlags& flags, const Roster& roster) {
  auto plan = bench_plan(flags, roster);
  plan.most_candidates = 0;
  return plan;
}

/// Tables as a lookup uses them on a device.
struct ServedTables {
  std::vector<TableSource> sources{};
  TableIndex index{};
};

TableSource source_of(const std::filesystem::path& path, const BenchFlags& flags) {
  return table_source(path, flags.tune.format);
}

/// The tables in a list separated by colons.
std::vector<TableSource> sources_named(std::string_view list, const BenchFlags& flags) {
  std::vector<TableSource> sources;
  for (const auto& path : split_paths(list)) sources.push_back(source_of(path, flags));
  return sources;
}

/// The tables that a serving process would read.
std::vector<TableSource> sources_of_environment() {
  auto environment = read_environment(process_variables());
  for (const auto& note : environment.notes) spdlog::warn("{}", note);
  if (environment.tables.empty())
    fail(ErrorCode::usage, "--run_config: no table is named, nor does a variable GEMMTUNE_CONFIG_<FAMILY> name one");
  return std::move(environment.tables);
}

ServedTables serve(std::vector<TableSource> sources, const DeviceInfo& device) {
  auto loaded = load_tables(sources, {.live_gfx = device.arch});
  for (const auto& note : loaded.notes) spdlog::warn("{}", note);
  return {std::move(sources), std::move(loaded.index)};
}

/// The one file on this side of a comparison.
ServedTables serve_one(const std::string& path, const BenchFlags& flags, const DeviceInfo& device) {
  return serve({source_of(path, flags)}, device);
}

/// The shapes that were asked for; if none were, those of the tables.
BenchShapes shapes_for(const BenchFlags& flags, const std::vector<TableSource>& sources, const DeviceInfo& device) {
  auto shapes = bench_shapes(flags);
  if (!shapes.problems.empty()) return shapes;
  for (const auto& source : sources)
    for (const auto& problem : problems_of(source, device))
      if (std::ranges::find(shapes.problems, problem) == shapes.problems.end()) shapes.problems.push_back(problem);
  if (shapes.problems.empty())
    fail(ErrorCode::input, "{}: no rows for {} with cu_num {}: add -i LIST or --problem PROBLEM",
         sources.front().path.string(), device.arch, device.cu_num);
  return shapes;
}

Contender default_contender(const BenchPlan& plan, const Offered& offered) {
  Contender contender{.label = "table" + std::string(default_suffix), .origin = "default", .is_default = true};
  const auto candidates = wanted_candidates(plan.tune, offered.candidates);
  if (candidates.empty())
    contender.why_none = "no family can do this";
  else
    contender.candidate = candidates.front();
  return contender;
}

std::string table_text(const ShapeBench& shape) {
  const auto* table = shape.find("table");
  const auto how = to_string(table->contender.served->match);
  if (!table->has_time()) return fmt::format("{}, {}", how, to_string(table->evaluation.outcome));
  return fmt::format("{}, {} us", how, time_text(table->time_us()));
}

/// Writes into table a the choices of table b that are proven to be better.
class TableUpdate {
 public:
  TableUpdate(const TableSource& source, const DeviceInfo& device, const Roster& roster, std::string policy)
      : device_(device),
        roster_(roster),
        policy_(std::move(policy)),
        shared_(source.path, {.format = source.family.format}),
        table_(shared_.read()) {}

  void take(const MeasuredContender& better, const Problem& problem) {
    if (as_read_back(table_, problem) != problem) {
      spdlog::warn("{} is not written: a table of {} has no column for all of it", to_string(problem),
                   to_string(table_.format));
      return;
    }
    auto row = tuned_row(problem, better.evaluation, device_.arch, device_.cu_num);
    row.split_k = better.contender.served->split_k;
    row.kernel_id = better.contender.served->kernel_id;
    const auto version = roster_.versions().find(row.libtype);
    const auto library = version == roster_.versions().end() ? "" : library_text(version->first, version->second);
    shared_.add(with_origin(std::move(row), device_, library, policy_));
    ++rows_;
  }

  std::size_t rows() const { return rows_; }

  void write() {
    if (rows_ > 0) shared_.finish();
  }

 private:
  const DeviceInfo& device_;
  const Roster& roster_;
  std::string policy_;
  SharedTable shared_;
  TunedTable table_;  // as it was, for what its columns can say
  std::size_t rows_{};
};

Contender labelled(Contender contender, std::string label) {
  contender.label = std::move(label);
  return contender;
}

/// "4.1 % slower"
std::string against_a(double improvement_pct) {
  return fmt::format("{:.1f} % {}", std::abs(improvement_pct), improvement_pct < 0 ? "slower" : "faster");
}

std::string verdict_text(const Duel& duel) {
  const auto& a = duel.bench.contenders[0];
  const auto& b = duel.bench.contenders[1];
  if (const auto range = improvement_range_pct(a, b); range && duel.verdict == DuelVerdict::undecided)
    return fmt::format("undecided (b is {} to {})", against_a(range->low), against_a(range->high));
  const auto pct = improvement_pct(a, b);
  return std::string(to_string(duel.verdict)) + (pct ? fmt::format(" ({:+.1f} %)", *pct) : "");
}

/// Rows that state their problems may be compared with those of any table.
void insist_on_one_family(const TableSource& a, const TableSource& b) {
  if (a.family == b.family || a.family.states_problems || b.family.states_problems) return;
  fail(ErrorCode::usage, "--compare: {} is a table of {}, {} of {}", a.path.string(), name_of(a.family),
       b.path.string(), name_of(b.family));
}

/// The numbers of verdicts as text: "5 shapes: 2 improved, 1 worse, 2 same kernel".
std::string counts_text(const std::map<DuelVerdict, std::size_t>& counts) {
  std::size_t shapes = 0;
  std::vector<std::string> pieces;
  for (const auto& [verdict, count] : counts) {
    shapes += count;
    pieces.push_back(fmt::format("{} {}", count, to_string(verdict)));
  }
  return fmt::format("{} shape{}: {}", shapes, shapes == 1 ? "" : "s", join(pieces, ", "));
}

class TableComparison {
 public:
  explicit TableComparison(const BenchFlags& flags)
      : flags_(flags),
        roster_(bench_roster(flags)),
        plan_(table_plan(flags, roster_)),
        session_(flags, plan_, roster_),
        a_(serve_one(flags.compare.at(0), flags, session_.device())),
        b_(serve_one(flags.compare.at(1), flags, session_.device())),
        benchmark_(empty_benchmark(session_.device(), plan_)) {
    insist_on_one_family(a_.sources.front(), b_.sources.front());
  }

  int run() {
    const auto shapes = shapes_for(flags_, {a_.sources.front(), b_.sources.front()}, session_.device());
    TableUpdate update(a_.sources.front(), session_.device(), roster_, benchmark_.policy);
    session_.each(shapes.problems, [&](const Problem& problem) { return compare(problem, update); });
    write_benchmark(benchmark_, flags_);
    if (flags_.update_improved) update.write();
    print_note("gemmtune: {}; {} row{} {} {}\n", counts_text(counts_), update.rows(), update.rows() == 1 ? "" : "s",
               flags_.update_improved ? "written to" : "for --update_improved to write to", flags_.compare.front());
    return session_.exit_code(shapes.rejected.empty());
  }

 private:
  std::optional<std::string> compare(const Problem& problem, TableUpdate& update) {
    const auto offers = offered(session_.evaluator(), problem);
    const auto choice = [&](const ServedTables& table, const char* label) {
      return labelled(served_contender(table.index, problem, session_.device(), offers), label);
    };
    auto result = duel(session_.evaluator(), {problem, choice(a_, "a"), choice(b_, "b")}, plan_,
                       {.min_improvement_pct = flags_.min_improvement_pct});
    if (!result) return std::nullopt;
    ++counts_[result->verdict];
    if (replaces(result->verdict)) update.take(result->bench.contenders[1], problem);
    result->bench.verdict = verdict_text(*result);
    benchmark_.shapes.push_back(std::move(result->bench));
    return benchmark_.shapes.back().verdict;
  }

  const BenchFlags& flags_;
  Roster roster_;
  BenchPlan plan_;
  BenchSession session_;
  ServedTables a_;
  ServedTables b_;
  Benchmark benchmark_;
  std::map<DuelVerdict, std::size_t> counts_;
};

}  // namespace

int bench_table(const BenchFlags& flags) {
  const auto roster = bench_roster(flags);
  const auto plan = table_plan(flags, roster);
  BenchSession session(flags, plan, roster);
  const auto table = serve(
      flags.run_config->empty() ? sources_of_environment() : sources_named(*flags.run_config, flags), session.device());
  const auto shapes = shapes_for(flags, table.sources, session.device());
  auto benchmark = empty_benchmark(session.device(), plan);
  session.each(shapes.problems, [&](const Problem& problem) -> std::optional<std::string> {
    const auto offers = offered(session.evaluator(), problem);
    auto shape = measure_interleaved(
        session.evaluator(), problem,
        {served_contender(table.index, problem, session.device(), offers), default_contender(plan, offers)}, plan);
    if (!shape) return std::nullopt;
    benchmark.shapes.push_back(std::move(*shape));
    return table_text(benchmark.shapes.back());
  });
  write_benchmark(benchmark, flags);
  return session.exit_code(shapes.rejected.empty() && std::ranges::all_of(benchmark.shapes, [](const auto& shape) {
                             return shape.find("table")->has_time();
                           }));
}

int compare_tables(const BenchFlags& flags) { return TableComparison(flags).run(); }

}  // namespace gemmtune
