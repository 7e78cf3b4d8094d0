#include "gemmtune/cli/bench/bench_options.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "gemmtune/cli/device_choice.h"
#include "gemmtune/cli/tune/tune_inputs.h"
#include "gemmtune/core/error.h"
#include "gemmtune/device/device.h"
#include "gemmtune/shapes/benchmark_shapes.h"

namespace gemmtune {
namespace {

constexpr std::int64_t searched_by_default = 16;

void declare_shapes(Options& options, BenchFlags& flags) {
  options.add_option("-i,--untune_file,--untune-file,--input_file,--input-file,list", flags.tune.untune_file);
  options.add_option("--problem", flags.problems).one_value_each();
  options.add_option("--format", flags.tune.format);
  options.add_option("--in_dtype,--in-dtype,--indtype", flags.tune.in_dtype);
  options.add_option("--out_dtype,--out-dtype,--outdtype", flags.tune.out_dtype);
  options.add_option("--max_gflop,--max-gflop", flags.tune.max_gflop).positive();
}

void declare_choices(Options& options, BenchFlags& flags) {
  options.add_option("--tuned", flags.tuned).one_value_each();
  options.add_flag("--prove", flags.prove);
  options.add_flag("--cold_instructions,--cold-instructions", flags.tune.cold_instructions);
}

void declare_tables(Options& options, BenchFlags& flags) {
  const auto run_config = options.add_option("--run_config,--run-config", flags.run_config).expected(0, 1);
  options.add_option("--compare", flags.compare).expected(2, 2).excludes(run_config);
  options.add_flag("--update_improved,--update-improved", flags.update_improved);
  options.add_option("--min_improvement_pct,--min-improvement-pct", flags.min_improvement_pct).not_negative();
}

void declare_output(Options& options, BenchFlags& flags) {
  options.add_option("-o,--output", flags.outputs).one_value_each();
  const auto markdown = options.add_flag("--markdown,--md", flags.markdown);
  const auto csv = options.add_flag("--csv", flags.csv).excludes(markdown);
  options.add_flag("--json", flags.json).excludes(markdown).excludes(csv);
}

class ShapeTaker {
 public:
  explicit ShapeTaker(const BenchFlags& flags) : flags_(flags) {}

  void take(Problem problem, const std::string& where) {
    problem = with_types(problem, flags_.tune);
    const double gflop = flops(problem) / 1e9;
    if (const auto why = why_invalid(problem); !why.empty())
      shapes_.rejected.push_back(fmt::format("{}: {}", where, why));
    else if (flags_.tune.max_gflop && gflop > *flags_.tune.max_gflop)
      shapes_.rejected.push_back(fmt::format("{}: {:.3g} GFLOP, above --max-gflop", where, gflop));
    else if (std::ranges::find(shapes_.problems, problem) == shapes_.problems.end())
      shapes_.problems.push_back(problem);
  }

  void take_list() {
    const auto document = read_csv(flags_.tune.untune_file);
    const auto list = read_shapes(document, defaults_of(format_for(flags_.tune, document)));
    for (const auto& line : list.rejected) shapes_.rejected.push_back(fmt::format("{}: {}", line.where, line.reason));
    for (const auto& shape : list.shapes) take(shape.problem, shape.where);
  }

  BenchShapes shapes() && {
    if (shapes_.problems.empty() && !shapes_.rejected.empty()) fail(ErrorCode::input, "{}", shapes_.rejected.front());
    for (const auto& line : shapes_.rejected) spdlog::warn("left out {}", line);
    return std::move(shapes_);
  }

 private:
  const BenchFlags& flags_;
  BenchShapes shapes_;
};

}  // namespace

void declare_bench_flags(Options& options, BenchFlags& flags) {
  declare_shapes(options, flags);
  declare_choices(options, flags);
  declare_tables(options, flags);
  declare_bench_measuring(options, flags);
  declare_output(options, flags);
  declare_fleet_flags(options, flags.tune.fleet);
}

void declare_bench_all_flags(Options& options, BenchFlags& flags) {
  options.add_option("--format", flags.tune.format);
  options.add_option("--max_gflop,--max-gflop", flags.tune.max_gflop).positive();
  declare_choices(options, flags);
  declare_bench_measuring(options, flags);
  declare_output(options, flags);
  declare_fleet_flags(options, flags.tune.fleet);
}

void declare_bench_measuring(Options& options, BenchFlags& flags) {
  options.add_option("--families,--libtype,--backends", flags.tune.libtype);
  options.add_option("--worker", flags.tune.workers).one_value_each();
  options.add_option("--most_candidates,--most-candidates", flags.most_candidates).not_negative();
  options.add_option("--search", flags.tune.search);
  options.add_option("--warmup", flags.tune.warmup).not_negative();
  options.add_option("--iters", flags.tune.iters).positive();
  options.add_option("--errRatio,--err-ratio,--err_ratio", flags.tune.err_ratio).in_range(0.0, 1.0);
  options.add_option("--seed", flags.tune.seed);
  options.add_option("--device", flags.tune.device);
  options.add_option("--timeout", flags.tune.timeout_s).positive();
  options.add_flag("--in_process,--in-process", flags.tune.in_process);
  options.add_flag("-v,--verbose", flags.tune.verbose);
}

BenchShapes bench_shapes(const BenchFlags& flags) {
  ShapeTaker taker(flags);
  for (const auto& text : flags.problems) taker.take(parse_problem(text), text);
  if (!flags.tune.untune_file.empty()) taker.take_list();
  if (flags.all_shapes)
    for (const auto& problem : benchmark_shapes(chosen_format(flags.tune).value_or(Format::a4w4)))
      taker.take(problem, to_string(problem));
  return std::move(taker).shapes();
}

Roster bench_roster(const BenchFlags& flags) {
  const auto device = choose_devices(flags.tune.device, 1, list_devices()).front();
  return Roster({flags.tune.workers, flags.tune.libtype, device_id(device)});
}

BenchPlan bench_plan(const BenchFlags& flags, const Roster& roster) {
  const auto searched = flags.tuned.empty() ? searched_by_default : 0;
  auto tune = flags.tune;
  const bool together = tune.search.empty() || tune.search == "together";
  if (together) tune.search = TuneFlags{}.search;
  return {.tune = plan_of(tune, roster.nameable()),
          .most_candidates = flags.most_candidates.value_or(searched),
          .together = together,
          .prove = flags.prove};
}

}  // namespace gemmtune
