#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "gemmtune/bench/peaks.h"
#include "gemmtune/bench/roofline_file.h"
#include "gemmtune/cli/bench/bench_session.h"
#include "gemmtune/cli/comma_list.h"
#include "gemmtune/cli/command.h"
#include "gemmtune/cli/device_choice.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/cli/text_grid.h"
#include "gemmtune/core/clock.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/json.h"
#include "gemmtune/core/log.h"
#include "gemmtune/device/device.h"
#include "gemmtune/report/comparison_grids.h"

namespace gemmtune {
namespace {

std::string roofline_text(const Roofline& roofline) {
  auto text = fmt::format("{} ({}, {} units)\n", roofline.device_name, roofline.arch, roofline.cu_num);
  if (roofline.copy_gbps > 0)
    text += fmt::format("copies {:.1f} GB/s, read and written, measured {}\n", roofline.copy_gbps, roofline.date);
  if (roofline.peaks.empty()) return text;
  std::vector<std::vector<std::string>> rows{{"type", "TFLOPS", "ops a byte", "problem", "kernel", "measured"}};
  for (const auto& [type, peak] : roofline.peaks)
    rows.push_back({type, rate_text(peak.tflops),
                    roofline.copy_gbps > 0 ? fmt::format("{:.1f}", peak.tflops * 1e3 / roofline.copy_gbps) : "-",
                    to_string(peak.problem), peak.kernel, peak.date});
  return text + text_grid(rows, {Align::left, Align::right, Align::right});
}

class BenchRooflineCommand final : public Command {
 public:
  void declare(Options& options) override {
    declare_bench_measuring(options, flags_);
    options.add_option("--types", types_);
    options.add_option("--size", size_).positive();
    options.add_flag("--show", show_);
    options.add_flag("--json", flags_.json);
  }

  int run() override {
    if (flags_.tune.verbose) start_logging(Verbosity::verbose);
    const auto device = choose_devices(flags_.tune.device, 1, list_devices()).front();
    return show_ ? show(device) : measure(device);
  }

 private:
  void print(const Roofline& roofline) const {
    print_text("{}", flags_.json ? json_text(roofline_json(roofline)) + '\n' : roofline_text(roofline));
  }

  int show(const DeviceInfo& device) const {
    const auto roofline = remembered_roofline(rooflines_folder(), device);
    if (!roofline)
      fail(ErrorCode::input, "nothing is remembered of {} {}: `gemmtune bench roofline` measures it", device_id(device),
           device.name);
    print(*roofline);
    return 0;
  }

  int measure(const DeviceInfo& device) const {
    const auto roster = bench_roster(flags_);
    const auto plan = bench_plan(flags_, roster);
    const auto problems = peak_problems(comma_list(types_), size_.value_or(peak_size(device)));
    Roofline roofline{.device_name = device.name,
                      .arch = device.arch,
                      .cu_num = device.cu_num,
                      .driver = device.driver,
                      .date = utc_now(),
                      .copy_gbps = copy_bandwidth_gbps(*open_device(device_id(device)))};
    spdlog::info("copies: {:.1f} GB/s", roofline.copy_gbps);
    BenchSession session(flags_, plan, roster);
    session.each(problems, [&](const Problem& problem) { return measure_type(session, problem, roofline, plan); });
    print(roofline);
    const auto path = remember(rooflines_folder(), roofline);
    print_note("gemmtune: remembered in {}\n", path.string());
    return session.exit_code(!roofline.peaks.empty());
  }

  static std::optional<std::string> measure_type(BenchSession& session, const Problem& problem, Roofline& roofline,
                                                 const BenchPlan& plan) {
    const auto result = measure_peak(session.evaluator(), problem, plan.tune);
    if (!result) return std::nullopt;
    if (!result->peak) return "no peak: " + result->why_none;
    roofline.peaks[peak_key(problem)] = *result->peak;
    return fmt::format("{} TFLOPS by {}", rate_text(result->peak->tflops), result->peak->kernel);
  }

  BenchFlags flags_;
  std::string types_;
  std::optional<std::int64_t> size_;
  bool show_{};
};

}  // namespace

std::unique_ptr<Command> make_bench_roofline_command() { return std::make_unique<BenchRooflineCommand>(); }

}  // namespace gemmtune
