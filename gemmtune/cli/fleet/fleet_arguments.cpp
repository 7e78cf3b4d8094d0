#include "gemmtune/cli/fleet/fleet_arguments.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/dispatch/environment.h"
#include "gemmtune/fleet/shard_inputs.h"

namespace gemmtune {
namespace {

using Words = std::vector<std::string>;

void add(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

/// How it is measured, and which families and workers do it: for tuning and for benchmarks.
Words measuring(const TuneFlags& flags) {
  Words words{"--libtype",  flags.libtype,
              "--warmup",   std::to_string(flags.warmup),
              "--iters",    std::to_string(flags.iters),
              "--errRatio", shortest(flags.err_ratio),
              "--seed",     std::to_string(flags.seed),
              "--timeout",  shortest(flags.timeout_s)};
  for (const auto& worker : flags.workers) add(words, {"--worker", worker});
  if (flags.cold_instructions) words.emplace_back("--cold_instructions");
  if (flags.verbose) words.emplace_back("--verbose");
  return words;
}

Words tuning(const TuneFlags& flags) {
  auto words = measuring(flags);
  words.emplace_back("--no_packing_look");  // the summaries of shards are not shown
  if (flags.split_k) words.emplace_back("--splitK");
  // The head writes the files, from the whole table. A host searches only what such files can state.
  if (!flags.triton_json.empty()) add(words, {"--emit_triton_json", "triton", "--triton_keys", flags.triton_keys});
  for (const auto& file : flags.triton_configs) add(words, {"--triton_configs", file});
  return words;
}

Words with_inputs(Words command, const Words& words) {
  add(command, words);
  return command;
}

void refuse(bool is_given, std::string_view flag, std::string_view instead) {
  if (is_given) fail(ErrorCode::usage, "{} does not go together with --hosts and --slurm: {}", flag, instead);
}

void refuse_local_choices(const TuneFlags& flags) {
  refuse(!flags.device.empty() || flags.mp.has_value(), "--device, --mp",
         "the hosts file names the devices of a host (gpus)");
  refuse(flags.in_process, "--in_process", "it is for debuggers on this machine");
}

}  // namespace

Words tune_arguments(const TuneFlags& flags) {
  auto words = with_inputs({"tune", "-i", "shapes.csv", "-o", "table.csv", "--store", "trials.db", "--schema",
                            "gemmtune", "--search", flags.search, "--regret", shortest(flags.regret_pct)},
                           tuning(flags));
  if (!flags.profile_file.empty()) add(words, {"--profile_file", "profile.csv"});
  if (flags.most_candidates < std::numeric_limits<std::int64_t>::max())
    add(words, {"--most_candidates", std::to_string(flags.most_candidates)});
  return words;
}

Words tune_calibration_arguments(const TuneFlags& flags) {
  return with_inputs({"tune", "-i", "shapes.csv", "-o", "table.csv", "--store", "trials.db", "--schema", "gemmtune",
                      "--search", "screen", "--fresh", "--most_candidates", "2"},
                     tuning(flags));
}

Words bench_arguments(const BenchFlags& flags) {
  auto words = with_inputs({"bench", "-i", "shapes.csv", "-o", "bench.json"}, measuring(flags.tune));
  if (!flags.tune.search.empty()) add(words, {"--search", flags.tune.search});
  if (flags.most_candidates) add(words, {"--most_candidates", std::to_string(*flags.most_candidates)});
  if (flags.prove) words.emplace_back("--prove");
  if (!flags.tune.format.empty()) add(words, {"--format", flags.tune.format});
  const auto tables = tables_of(flags);
  std::vector<std::string> sent;
  for (std::size_t i = 0; i < tables.size(); ++i) sent.push_back(name_on_host(i, tables[i]));
  if (flags.run_config) {
    add(words, {"--run_config", join(sent, ":")});
  } else if (!flags.compare.empty()) {
    add(words, {"--compare", sent.at(0), sent.at(1), "--min_improvement_pct", shortest(flags.min_improvement_pct)});
  } else {
    for (const auto& table : sent) add(words, {"--tuned", table});
  }
  return words;
}

std::vector<std::string> tables_of(const BenchFlags& flags) {
  if (flags.run_config) {
    std::vector<std::string> tables;
    for (const auto& path : split_paths(*flags.run_config)) tables.push_back(path);
    return tables;
  }
  return flags.compare.empty() ? flags.tuned : flags.compare;
}

void insist_on_tunable_elsewhere(const TuneFlags& flags) {
  refuse_local_choices(flags);
  refuse(flags.compare || flags.update_improved || flags.run_config.has_value(), "--compare, --run_config",
         "tune into another table, then hold the two against each other with `gemmtune bench --compare A B --hosts`");
}

void insist_on_benchable_elsewhere(const BenchFlags& flags) {
  refuse_local_choices(flags.tune);
  refuse(flags.run_config && flags.run_config->empty(), "--run_config without a table", "name the table");
  refuse(flags.update_improved, "--update_improved",
         "the table is changed by one process: read the verdicts, then use `gemmtune table merge`");
  for (const auto& table : flags.tuned)
    refuse(std::filesystem::is_directory(table), "--tuned FOLDER", "name the tables, which are sent to the hosts");
}

}  // namespace gemmtune
