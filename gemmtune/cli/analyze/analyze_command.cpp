#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "gemmtune/bench/roofline_file.h"
#include "gemmtune/cli/analyze/analysis_text.h"
#include "gemmtune/cli/comma_list.h"
#include "gemmtune/cli/command.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/cli/worker/roster.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/json.h"
#include "gemmtune/core/text.h"
#include "gemmtune/report/comparison_files.h"
#include "gemmtune/report/html/html_report.h"
#include "gemmtune/report/inputs.h"
#include "gemmtune/report/seed_layout.h"

namespace gemmtune {
namespace {

struct AnalyzeFlags {
  std::vector<std::string> inputs{"."};
  std::string primary{};
  std::string backends{};
  std::string format{};
  std::string output{};
  std::string html{};
  std::string layout{"gemmtune"};
  Roof roof{};
  double err_ratio{VerifyPolicy{}.err_ratio_limit};
  bool markdown{};
  bool csv{};
  bool json{};
  bool verbose{};
};

ReadingOptions reading_options(const AnalyzeFlags& flags) {
  ReadingOptions options;
  if (!flags.format.empty()) options.format = parse_format(flags.format);
  if (!flags.format.empty() && !options.format)
    fail(ErrorCode::usage, "--format: found '{}', expected a format such as a4w4 or a8w8_blockscale", flags.format);
  options.families = Roster().nameable();
  return options;
}

ComparisonOptions comparison_options(const AnalyzeFlags& flags) {
  return {.primary = to_lower(flags.primary),
          .backends = comma_list(to_lower(flags.backends)),
          .err_ratio_limit = flags.err_ratio};
}

Roof roof_in(const std::vector<Roofline>& known, const ShapeId& shape) {
  const Roofline* latest = nullptr;
  for (const auto& roofline : known) {
    const bool is_of_this = DeviceTag{roofline.arch, roofline.cu_num} == shape.device;
    if (is_of_this && (latest == nullptr || roofline.date > latest->date)) latest = &roofline;
  }
  if (latest == nullptr) return {};
  const auto peak = latest->peaks.find(peak_key(shape.problem));
  if (peak == latest->peaks.end()) return {};
  return {.peak_tflops = peak->second.tflops, .peak_gbps = latest->copy_gbps};
}

/// The latest roofline that `gemmtune bench roofline` has stored for each device of the same kind.
RoofOf remembered_roofs() {
  return [known = remembered_rooflines(rooflines_folder())](const ShapeId& shape) { return roof_in(known, shape); };
}

class AnalyzeCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("inputs", flags_.inputs);
    options.add_option("--primary", flags_.primary);
    options.add_option("--backends", flags_.backends);
    options.add_option("--format", flags_.format);
    options.add_option("--err-ratio,--err_ratio,--errRatio", flags_.err_ratio).not_negative();
    options.add_option("-o,--output", flags_.output);
    options.add_option("--html", flags_.html);
    options.add_option("--peak-tflops", flags_.roof.peak_tflops).positive();
    options.add_option("--peak-gbps", flags_.roof.peak_gbps).positive();
    const auto markdown = options.add_flag("--markdown,--md", flags_.markdown);
    const auto csv = options.add_flag("--csv", flags_.csv).excludes(markdown);
    options.add_flag("--json", flags_.json).excludes(markdown).excludes(csv);
    options.add_option("--layout", flags_.layout).one_of({"gemmtune", "seed"}).excludes(markdown).excludes(csv);
    options.add_flag("-v,--verbose", flags_.verbose);
  }

  int run() override {
    const auto files = input_files(flags_.inputs);
    refuse_to_overwrite(flags_.output, files);
    refuse_to_overwrite(flags_.html, files);
    const auto readings = read_inputs(files, reading_options(flags_));
    say(readings);
    if (readings.measurements.empty())
      fail(ErrorCode::input, "no times of GEMM kernels in {}", join(flags_.inputs, ", "));
    const auto comparison = compare(readings.measurements, comparison_options(flags_));
    if (comparison.measurements == 0)
      fail(ErrorCode::usage, "--backends: found '{}', which none of the inputs has", flags_.backends);
    note_absent_backends(comparison);
    write(text(comparison));
    if (!flags_.html.empty()) write_page(comparison, readings, files);
    return 0;
  }

 private:
  void note_absent_backends(const Comparison& comparison) const {
    for (const auto& backend : comma_list(to_lower(flags_.backends)))
      if (std::ranges::find(comparison.backends, backend) == comparison.backends.end())
        print_note("gemmtune: --backends: none of the inputs has times of '{}'\n", backend);
  }

  void say(const Readings& readings) const {
    for (const auto& note : readings.notes) print_note("gemmtune: {}\n", note);
    const auto& others = readings.without_times;
    if (flags_.verbose)
      for (const auto& file : others) print_note("gemmtune: {}: no times of GEMM kernels, left out\n", file);
    else if (!others.empty())
      print_note("gemmtune: {} left out: {} no times of GEMM kernels\n",
                 others.size() == 1 ? others.front() : fmt::format("{} files", others.size()),
                 others.size() == 1 ? "it has" : "they have");
  }

  std::string text(const Comparison& comparison) const {
    if (flags_.json) return json_text(comparison_json(comparison, remembered_roofs())) + '\n';
    if (flags_.csv) return comparison_csv(comparison);
    if (flags_.layout == "seed") return seed_layout_text(comparison);
    if (flags_.markdown) return comparison_markdown(comparison);
    auto style = flags_.output.empty() ? style_of_stdout() : TextStyle{};
    if (flags_.verbose) style.listed = std::numeric_limits<std::size_t>::max();
    return analysis_text(comparison, style);
  }

  void write_page(const Comparison& comparison, const Readings& readings,
                  const std::vector<std::filesystem::path>& files) const {
    const auto stores = contents_of_stores(files);
    write_file_atomically(flags_.html, html_report({.comparison = comparison,
                                                    .readings = readings,
                                                    .stores = stores,
                                                    .roof = flags_.roof,
                                                    .roof_of = remembered_roofs()}));
    print_note("gemmtune: the page is in {}\n", flags_.html);
  }

  void write(const std::string& text) const {
    if (flags_.output.empty() && flags_.csv)
      write_data(text);
    else if (flags_.output.empty())
      write_text(text);
    else
      write_file_atomically(flags_.output, text);
  }

  AnalyzeFlags flags_;
};

}  // namespace

std::unique_ptr<Command> make_analyze_command() { return std::make_unique<AnalyzeCommand>(); }

}  // namespace gemmtune
