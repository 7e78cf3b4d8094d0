#include "gemmtune/cli/fleet/fleet_bench.h"

#include <algorithm>
#include <map>

#include "gemmtune/cli/fleet/fleet_arguments.h"
#include "gemmtune/cli/fleet/fleet_session.h"
#include "gemmtune/cli/fleet/profile_rows.h"
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
    if (fs::exists(back / "bench.csv")) results_.insert_or_assign(back, read_csv(back / "bench.csv"));
  }
  void take_part(const fs::path&) override {}

  /// In the order of the shapes that were asked for.
  CsvDocument result() const {
    std::vector<CsvDocument> documents;
    for (const auto& [back, document] : results_) documents.push_back(document);
    auto all = joined(documents);
    const auto problem = all.column("problem");
    std::map<std::string, std::size_t, std::less<>> places;
    for (const auto& shape : shapes_) places.emplace(to_string(shape.problem), places.size());
    std::ranges::stable_sort(all.rows, {}, [&](const CsvRow& row) {
      const auto place = places.find(all.text(row, problem));
      return place == places.end() ? places.size() : place->second;
    });
    return all;
  }

 private:
  std::vector<Shape> shapes_;
  std::map<fs::path, CsvDocument> results_;
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
                 .calibration_arguments = tune_calibration_arguments(flags.tune)};
  for (const auto& shape : shapes) work.what += to_string(shape.problem) + '\n';
  return work;
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
  const auto text = csv_text(taker.result());
  for (const auto& path : flags.outputs) write_file_atomically(path, text);
  if (flags.outputs.empty() || flags.csv) write_data(text);
  if (result.signal) return 128 + *result.signal;
  return result.outcome.unfinished.empty() && result.outcome.failed.empty() ? 0 : 1;
}

}  // namespace gemmtune
