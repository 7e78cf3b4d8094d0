#include "gemmtune/cli/bench_options.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "gemmtune/cli/tune_inputs.h"
#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

constexpr std::int64_t searched_by_default = 16;

void declare_shapes(CLI::App& app, BenchFlags& flags) {
  app.add_option("-i,--untune_file,--untune-file,--input_file,--input-file", flags.tune.untune_file);
  app.add_option("--problem", flags.problems)->allow_extra_args(false);
  app.add_option("--format", flags.tune.format);
  app.add_option("--in_dtype,--in-dtype,--indtype", flags.tune.in_dtype);
  app.add_option("--out_dtype,--out-dtype,--outdtype", flags.tune.out_dtype);
  app.add_option("--max_gflop,--max-gflop", flags.tune.max_gflop)->check(CLI::PositiveNumber);
}

void declare_choices(CLI::App& app, BenchFlags& flags) {
  app.add_option("--tuned", flags.tuned)->allow_extra_args(false);
  app.add_flag("--prove", flags.prove);
}

void declare_tables(CLI::App& app, BenchFlags& flags) {
  auto* run_config = app.add_option("--run_config,--run-config", flags.run_config)->expected(0, 1);
  app.add_option("--compare", flags.compare)->expected(2)->excludes(run_config);
  app.add_flag("--update_improved,--update-improved", flags.update_improved);
  app.add_option("--min_improvement_pct,--min-improvement-pct", flags.min_improvement_pct)
      ->check(CLI::NonNegativeNumber);
}

void declare_output(CLI::App& app, BenchFlags& flags) {
  app.add_option("-o,--output", flags.outputs)->allow_extra_args(false);
  auto* markdown = app.add_flag("--markdown,--md", flags.markdown);
  auto* csv = app.add_flag("--csv", flags.csv)->excludes(markdown);
  app.add_flag("--json", flags.json)->excludes(markdown)->excludes(csv);
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
    const auto list = read_shapes(flags_.tune.untune_file, defaults_of(format_for(flags_.tune)));
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

void declare_bench_flags(CLI::App& app, BenchFlags& flags) {
  declare_shapes(app, flags);
  declare_choices(app, flags);
  declare_tables(app, flags);
  declare_bench_measuring(app, flags);
  declare_output(app, flags);
}

void declare_bench_measuring(CLI::App& app, BenchFlags& flags) {
  app.add_option("--families,--libtype", flags.tune.libtype);
  app.add_option("--most_candidates,--most-candidates", flags.most_candidates)->check(CLI::NonNegativeNumber);
  app.add_option("--search", flags.tune.search);
  app.add_option("--warmup", flags.tune.warmup)->check(CLI::NonNegativeNumber);
  app.add_option("--iters", flags.tune.iters)->check(CLI::PositiveNumber);
  app.add_option("--errRatio,--err-ratio,--err_ratio", flags.tune.err_ratio)->check(CLI::Range(0.0, 1.0));
  app.add_option("--seed", flags.tune.seed);
  app.add_option("--device", flags.tune.device);
  app.add_option("--timeout", flags.tune.timeout_s)->check(CLI::PositiveNumber);
  app.add_flag("--in_process,--in-process", flags.tune.in_process);
  app.add_flag("-v,--verbose", flags.tune.verbose);
}

BenchShapes bench_shapes(const BenchFlags& flags) {
  ShapeTaker taker(flags);
  for (const auto& text : flags.problems) taker.take(parse_problem(text), text);
  if (!flags.tune.untune_file.empty()) taker.take_list();
  return std::move(taker).shapes();
}

BenchPlan bench_plan(const BenchFlags& flags) {
  const auto usual = flags.tuned.empty() ? searched_by_default : 0;
  return {.tune = plan_of(flags.tune, known_families()),
          .most_candidates = flags.most_candidates.value_or(usual),
          .prove = flags.prove};
}

}  // namespace gemmtune
