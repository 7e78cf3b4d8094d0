#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "gemmtune/bench/family_choices.h"
#include "gemmtune/bench/result_grids.h"
#include "gemmtune/cli/bench/bench_options.h"
#include "gemmtune/cli/bench/bench_output.h"
#include "gemmtune/cli/bench/bench_session.h"
#include "gemmtune/cli/bench/bench_tables.h"
#include "gemmtune/cli/command.h"
#include "gemmtune/cli/fleet/fleet_bench.h"
#include "gemmtune/cli/help.h"
#include "gemmtune/cli/tune/tune_inputs.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/log.h"
#include "gemmtune/core/text.h"
#include "gemmtune/report/inputs.h"

namespace gemmtune {
namespace {

TunedKernels read_tuned(const BenchFlags& flags, const Roster& roster, const DeviceInfo& device) {
  if (flags.tuned.empty()) return {};
  const auto readings =
      read_inputs(input_files(flags.tuned), {.format = chosen_format(flags.tune), .families = roster.families()});
  for (const auto& note : readings.notes) spdlog::warn("{}", note);
  auto kernels = tuned_kernels(readings, device);
  if (kernels.empty())
    fail(ErrorCode::input, "{}: no kernels with times for {} with cu_num {}", join(flags.tuned, ", "), device.arch,
         device.cu_num);
  return kernels;
}

bool is_among(const Contender& contender, const ShapeBench& shape, std::size_t others) {
  return std::any_of(shape.winners.begin(), shape.winners.begin() + static_cast<std::ptrdiff_t>(others),
                     [&](auto i) { return shape.contenders[i].contender.candidate == contender.candidate; });
}

/// "fastest onednn_default 143.3 us = cpu_tile 143.9 us", each kernel once.
std::string result_text(const ShapeBench& shape) {
  if (shape.contenders.empty()) return "no family can do this";
  if (shape.winners.empty()) return "none has a time";
  std::vector<std::string> winners;
  for (std::size_t w = 0; w < shape.winners.size(); ++w) {
    const auto& measured = shape.contenders[shape.winners[w]];
    if (!is_among(measured.contender, shape, w))
      winners.push_back(fmt::format("{} {} us", measured.contender.label, time_text(measured.time_us())));
  }
  return "fastest " + join(winners, " = ");
}

bool has_a_time(const ShapeBench& shape) { return !shape.winners.empty(); }

class BenchCommand final : public Command {
 public:
  void declare(Options& options) override {
    declare_bench_flags(options, flags_);
    roofline_options_ = options.add_command("roofline", "bench-roofline");
    roofline_->declare(*roofline_options_);
    all_options_ = options.add_command("all", "bench-all");
    declare_bench_all_flags(*all_options_, flags_);
  }

  int run() override {
    if (roofline_options_->is_chosen()) return roofline_->run();
    flags_.all_shapes = all_options_->is_chosen();
    if (flags_.tune.verbose) start_logging(Verbosity::verbose);
    insist_on_known_outputs(flags_);
    if (flags_.update_improved && flags_.compare.empty())
      fail(ErrorCode::usage, "--update_improved requires --compare");
    insist_on_sound(flags_.tune.fleet);
    if (flags_.tune.fleet.is_used()) return bench_on_fleet(flags_);
    if (!flags_.compare.empty()) return compare_tables(flags_);
    if (flags_.run_config) return bench_table(flags_);
    return bench_families();
  }

 private:
  int bench_families() const {
    const auto shapes = bench_shapes(flags_);
    if (shapes.problems.empty()) fail(ErrorCode::usage, "no shapes: add -i LIST or --problem PROBLEM");
    return measure_families(bench_roster(flags_), shapes);
  }

  int measure_families(const Roster& roster, const BenchShapes& shapes) const {
    const auto plan = bench_plan(flags_, roster);
    BenchSession session(flags_, plan, roster);
    const auto known = read_tuned(flags_, roster, session.device());
    auto benchmark = empty_benchmark(session.device(), plan);
    session.each(shapes.problems, [&](const Problem& problem) -> std::optional<std::string> {
      const auto contenders = family_contenders(session.evaluator(), problem, plan, known);
      if (!contenders) return std::nullopt;
      auto shape = measure_interleaved(session.evaluator(), problem, *contenders, plan);
      if (!shape) return std::nullopt;
      benchmark.shapes.push_back(std::move(*shape));
      write_bench_files(benchmark, flags_);
      return result_text(benchmark.shapes.back());
    });
    write_benchmark(benchmark, flags_);
    return session.exit_code(shapes.rejected.empty() && std::ranges::all_of(benchmark.shapes, has_a_time));
  }

  BenchFlags flags_;
  std::unique_ptr<Command> roofline_{make_bench_roofline_command()};
  std::optional<Options> roofline_options_{};
  std::optional<Options> all_options_{};
};

}  // namespace

std::unique_ptr<Command> make_bench_command() { return std::make_unique<BenchCommand>(); }

}  // namespace gemmtune
