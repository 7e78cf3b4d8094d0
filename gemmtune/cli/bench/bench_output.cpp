#include "gemmtune/cli/bench/bench_output.h"

#include <spdlog/spdlog.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "gemmtune/bench/result_files.h"
#include "gemmtune/bench/roofline_file.h"
#include "gemmtune/cli/bench/bench_text.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/cli/short_text.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/json.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

std::string bench_json_text(const Benchmark& benchmark) { return json_text(bench_json(benchmark)) + '\n'; }

std::string extension_of(const std::string& path) { return to_lower(std::filesystem::path(path).extension().string()); }

std::string file_text(const Benchmark& benchmark, const std::string& extension) {
  if (extension == ".csv") return bench_csv(benchmark);
  if (extension == ".json") return bench_json_text(benchmark);
  return extension == ".md" ? bench_markdown(benchmark) : bench_text(benchmark, {});
}

std::string stdout_text(const Benchmark& benchmark, const BenchFlags& flags) {
  if (flags.csv) return bench_csv(benchmark);
  if (flags.json) return bench_json_text(benchmark);
  return flags.markdown ? bench_markdown(benchmark) : bench_text(benchmark, style_of_stdout(), stdout_width());
}

std::optional<Roofline> known_roofline(const DeviceInfo& device) {
  try {
    return remembered_roofline(rooflines_folder(), device);
  } catch (const Error& error) {
    spdlog::warn("{}", error.what());
    return std::nullopt;
  }
}

}  // namespace

void insist_on_known_outputs(const BenchFlags& flags) {
  for (const auto& path : flags.outputs) {
    const auto extension = extension_of(path);
    if (extension != ".csv" && extension != ".json" && extension != ".md" && extension != ".txt")
      fail(ErrorCode::usage, "--output: found '{}', expected a name that ends in .csv, .json, .md or .txt", path);
  }
}

Benchmark empty_benchmark(const DeviceInfo& device, const BenchPlan& plan) {
  return {.device = device,
          .policy = policy_text(plan.tune.confirm),
          .seed = plan.tune.confirm.seed,
          .roofline = known_roofline(device)};
}

void write_bench_files(const Benchmark& benchmark, const BenchFlags& flags) {
  for (const auto& path : flags.outputs) write_file_atomically(path, file_text(benchmark, extension_of(path)));
}

void write_benchmark(const Benchmark& benchmark, const BenchFlags& flags) {
  write_bench_files(benchmark, flags);
  const auto text = stdout_text(benchmark, flags);
  if (flags.csv)
    write_data(text);
  else
    write_text(text);
}

}  // namespace gemmtune
