#include "gemmtune/cli/fleet/fleet_bench.h"

#include <algorithm>
#include <map>

#include "gemmtune/bench/read_results.h"
#include "gemmtune/cli/bench/bench_output.h"
#include "gemmtune/cli/fleet/fleet_arguments.h"
#include "gemmtune/cli/fleet/fleet_session.h"
#include "gemmtune/cli/fleet/fleet_summary.h"
#include "gemmtune/cli/fleet/slurm_session.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"

namespace gemmtune {
namespace fs = std::filesystem;
namespace {

class BenchTaker final : public FleetTaker {
 public:
  explicit BenchTaker(std::vector<Shape> shapes) : shapes_(std::move(shapes)) {}

  std::vector<Shape> shapes_for(const FleetDevice&) override { return shapes_; }
  void begin(const FleetPlan&) override {}
  void take(const fs::path& back) override {
    const auto path = back / "bench.json";
    if (fs::exists(path)) results_.insert_or_assign(back, read_bench_json(read_file(path), path.string()));
  }
  void take_part(const fs::path&) override {}
  void take_trials(const fs::path&) override {}

  /// As one machine gives it: in the order of the shapes that were asked for.
  Benchmark result(std::uint64_t seed) const {
    Benchmark all;
    for (const auto& [back, part] : results_) {
      if (all.policy.empty())
        all = {.device = part.device, .policy = part.policy, .seed = seed, .roofline = part.roofline};
      all.shapes.insert(all.shapes.end(), part.shapes.begin(), part.shapes.end());
    }
    std::map<Problem, std::size_t> places;
    for (const auto& shape : shapes_) places.emplace(shape.problem, places.size());
    std::ranges::stable_sort(all.shapes, {}, [&](const ShapeBench& shape) { return places[shape.problem]; });
    return all;
  }

 private:
  std::vector<Shape> shapes_;
  std::map<fs::path, Benchmark> results_;
};

std::vector<Shape> shapes_of(const BenchFlags& flags) {
  std::vector<Shape> shapes;
  for (const auto& problem : bench_shapes(flags).problems) shapes.push_back({.problem = problem});
  if (shapes.empty()) fail(ErrorCode::usage, "no shapes: add -i LIST or --problem PROBLEM");
  return shapes;
}

FleetWork work_of(const BenchFlags& flags, const std::vector<Shape>& shapes) {
  FleetWork work{.folder = flags.outputs.empty() ? fs::path("bench.fleet")
                                                 : fs::path(flags.outputs.front()).replace_extension(".fleet"),
                 .arguments = bench_arguments(flags),
                 .calibration_arguments = tune_calibration_arguments(flags.tune),
                 .files = tables_of(flags),
                 .has_data_on_stdout = flags.csv || flags.json || flags.markdown};
  for (const auto& shape : shapes) work.what += to_string(shape.problem) + '\n';
  return work;
}

/// As on one machine: somebody has a time, or with --run_config the table.
bool is_right(const ShapeBench& shape, const BenchFlags& flags) {
  if (!flags.compare.empty()) return true;
  const auto* table = flags.run_config ? shape.find("table") : nullptr;
  return table != nullptr ? table->has_time() : !shape.winners.empty();
}

}  // namespace

int bench_on_fleet(const BenchFlags& flags) {
  insist_on_benchable_elsewhere(flags);
  const auto shapes = shapes_of(flags);
  const auto work = work_of(flags, shapes);
  const auto& fleet = flags.tune.fleet;
  if (fleet.dry_run) {
    show_fleet_plan(fleet, work, shapes);
    return 0;
  }
  BenchTaker taker(shapes);
  const auto result = fleet.slurm ? run_slurm_session(fleet, work, taker) : run_fleet_session(fleet, work, taker);
  const auto benchmark = taker.result(flags.tune.seed);
  write_benchmark(benchmark, flags);
  print_note("{}", shards_text(result.outcome, ""));
  if (result.signal) return 128 + *result.signal;
  const bool all_done = result.outcome.unfinished.empty() && result.outcome.failed.empty();
  return all_done && std::ranges::all_of(benchmark.shapes, [&](const auto& shape) { return is_right(shape, flags); })
             ? 0
             : 1;
}

}  // namespace gemmtune
