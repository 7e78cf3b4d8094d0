#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "gemmtune/bench/family_choices.h"
#include "gemmtune/bench/result_grids.h"
#include "gemmtune/cli/bench_options.h"
#include "gemmtune/cli/bench_output.h"
#include "gemmtune/cli/bench_session.h"
#include "gemmtune/cli/command.h"
#include "gemmtune/cli/tune_inputs.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/log.h"
#include "gemmtune/core/text.h"
#include "gemmtune/report/inputs.h"

namespace gemmtune {
namespace {

TunedKernels read_tuned(const BenchFlags& flags, const DeviceInfo& device) {
  if (flags.tuned.empty()) return {};
  const auto readings =
      read_inputs(input_files(flags.tuned), {.format = chosen_format(flags.tune), .families = known_families()});
  for (const auto& note : readings.notes) spdlog::warn("{}", note);
  auto kernels = tuned_kernels(readings, device);
  if (kernels.empty())
    fail(ErrorCode::input, "{}: no kernels with times for {} with cu_num {}", join(flags.tuned, ", "), device.arch,
         device.cu_num);
  return kernels;
}

/// "fastest onednn 143.3 us, cpu_tile 150.1 us tied".
std::string result_text(const ShapeBench& shape) {
  if (shape.contenders.empty()) return "no family can do this";
  if (shape.winners.empty()) return "none has a time";
  std::vector<std::string> winners;
  for (const auto i : shape.winners)
    winners.push_back(
        fmt::format("{} {} us", shape.contenders[i].contender.label, time_text(shape.contenders[i].time_us())));
  return "fastest " + join(winners, " = ");
}

bool has_a_time(const ShapeBench& shape) { return !shape.winners.empty(); }

class BenchCommand final : public Command {
 public:
  void declare(CLI::App& app) override { declare_bench_flags(app, flags_); }

  int run() override {
    if (flags_.tune.verbose) start_logging(Verbosity::verbose);
    insist_on_known_outputs(flags_);
    const auto plan = bench_plan(flags_);
    const auto shapes = bench_shapes(flags_);
    if (shapes.problems.empty()) fail(ErrorCode::usage, "no shapes: add -i LIST or --problem PROBLEM");
    for (const auto& line : shapes.rejected) spdlog::warn("left out {}", line);
    return measure_families(plan, shapes);
  }

 private:
  int measure_families(const BenchPlan& plan, const BenchShapes& shapes) const {
    BenchSession session(flags_, plan);
    const auto known = read_tuned(flags_, session.device());
    Benchmark benchmark{.device = session.device(), .policy = policy_text(plan.tune.confirm)};
    session.each(shapes.problems, [&](const Problem& problem) -> std::optional<std::string> {
      const auto contenders = family_contenders(session.evaluator(), problem, plan, known);
      if (!contenders) return std::nullopt;
      auto shape = measure_together(session.evaluator(), problem, *contenders, plan);
      if (!shape) return std::nullopt;
      benchmark.shapes.push_back(std::move(*shape));
      return result_text(benchmark.shapes.back());
    });
    write_benchmark(benchmark, flags_);
    return session.exit_code(shapes.rejected.empty() && std::ranges::all_of(benchmark.shapes, has_a_time));
  }

  BenchFlags flags_;
};

}  // namespace

std::unique_ptr<Command> make_bench_command() { return std::make_unique<BenchCommand>(); }

}  // namespace gemmtune
