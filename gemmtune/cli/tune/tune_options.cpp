#include "gemmtune/cli/tune/tune_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gemmtune/cli/comma_list.h"
#include "gemmtune/cli/duration.h"
#include "gemmtune/cli/format_option.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/device/device.h"
#include "gemmtune/search/strategy.h"

namespace gemmtune {
namespace {

namespace fs = std::filesystem;

/// bf16_untuned_gemm.csv is tuned into bf16_tuned_gemm.csv in the working directory: the folder of the list may not be
/// writable.
fs::path default_tuned_path(const fs::path& untuned) {
  auto name = untuned.filename().string();
  if (const auto at = name.rfind("untuned"); at != std::string::npos) return name.replace(at, 7, "tuned");
  return untuned.stem().string() + "_tuned.csv";
}

/// A model's shapes are called by the model's folder.
fs::path list_name(const TuneFlags& flags) {
  if (flags.model_dir.empty()) return flags.untune_file;
  const auto folder = fs::path(flags.model_dir).lexically_normal();
  const auto name = folder.has_filename() ? folder.filename() : folder.parent_path().filename();
  return name == "config.json" ? folder.parent_path().filename() : name;
}

/// What AITER's tuners can be asked for.
constexpr std::array<std::string_view, 10> libtypes_of_aiter{"asm",    "ck",     "cktile", "hipblaslt", "rocblas",
                                                             "flydsl", "triton", "torch",  "skinny",    "opus"};

/// Empty when all families are meant.
std::vector<std::string> chosen_families(const TuneFlags& flags, const std::vector<std::string>& known) {
  auto families = comma_list(flags.libtype);
  if (const auto both = std::ranges::find(families, "both"); both != families.end()) {
    *both = "ck";  // as in AITER's tuner of block scales
    families.emplace_back("cktile");
  }
  if (std::ranges::find(families, "all") != families.end()) return {};
  for (const auto& family : families) {
    if (std::ranges::find(known, family) != known.end()) continue;
    if (std::ranges::find(libtypes_of_aiter, family) != libtypes_of_aiter.end())
      fail(ErrorCode::usage,
           "--libtype: {} is AITER's, and needs a worker that runs its kernels: give it with --worker COMMAND, or in "
           "workers.toml. Without one there are {}",
           family, join(known, ","));
    fail(ErrorCode::usage, "--libtype: found '{}', expected all or some of {}", family, join(known, ","));
  }
  return families;
}

std::optional<double> budget_s(const TuneFlags& flags) {
  if (flags.budget.empty()) return std::nullopt;
  const auto seconds = parse_duration(flags.budget);
  if (!seconds) fail(ErrorCode::usage, "--budget: found '{}', expected a duration, as 90s, 10m or 1h30m", flags.budget);
  return seconds;
}

std::string known_search(const TuneFlags& flags) {
  const auto names = strategy_names();
  if (std::ranges::find(names, flags.search) == names.end())
    fail(ErrorCode::usage, "--search: found '{}', expected one of {}", flags.search, join(names, ", "));
  return flags.search;
}

DType type_option(std::string_view option, std::string_view text) {
  const auto type = parse_dtype(text);
  if (!type) fail(ErrorCode::usage, "{}: found '{}', expected a type, as bf16, fp16, f32, int8 or fp8", option, text);
  return *type;
}

void declare_files(Options& options, TuneFlags& flags) {
  options.add_option("-i,--untune_file,--untune-file,--input_file,--input-file,list", flags.untune_file);
  options.add_option("-o,--tune_file,--tune-file,--tuned_file,--tuned-file", flags.tune_file);
  options.add_option("--profile_file,--profile-file", flags.profile_file);
  options.add_option("--emit_triton_json,--emit-triton-json", flags.triton_json);
  options.add_option("--triton_keys,--triton-keys", flags.triton_keys);
  options.add_option("--store", flags.store);
  options.add_option("--schema", flags.schema);
  options.add_option("--sort", flags.sort).expected(0, 1);
  options.add_flag("--all", flags.all);
  options.add_flag("--fresh", flags.fresh);
}

void declare_model(Options& options, TuneFlags& flags) {
  options.add_option("--model_dir,--model-dir", flags.model_dir);
  options.add_option("--tp", flags.tensor_parallel).split_at(',').one_value_each().positive();
  options.add_option("--nsets", flags.model_rows).split_at(',').one_value_each().positive();
  options.add_option("--batch_size,--batch-size", flags.model_batch).positive();
}

/// AITER's ways to hold a table against what it would replace.
void declare_comparison(Options& options, TuneFlags& flags) {
  const auto run_config = options.add_option("--run_config,--run-config", flags.run_config).expected(0, 1);
  options.add_flag("--compare", flags.compare).excludes(run_config);
  options.add_flag("--update_improved,--update-improved", flags.update_improved);
  options.add_option("--min_improvement_pct,--min-improvement-pct", flags.min_improvement_pct).not_negative();
}

void declare_choices(Options& options, TuneFlags& flags) {
  options.add_option("--format", flags.format);
  options.add_option("--in_dtype,--in-dtype,--indtype", flags.in_dtype);
  options.add_option("--out_dtype,--out-dtype,--outdtype", flags.out_dtype);
  options.add_option("--libtype", flags.libtype);
  options.add_option("--worker", flags.workers).one_value_each();
  options.add_option("--triton_configs,--triton-configs", flags.triton_configs).one_value_each();
  options.add_flag("--preshuffle", flags.preshuffle);
  options.add_flag("--all_bias,--all-bias", flags.all_bias);
  options.add_flag("-k,--splitK,--split-k", flags.split_k);
  options.add_option("--most_candidates,--most-candidates", flags.most_candidates).positive();
  options.add_option("--max_gflop,--max-gflop", flags.max_gflop).positive();
}

void declare_measuring(Options& options, TuneFlags& flags) {
  options.add_option("--search", flags.search);
  options.add_option("--regret", flags.regret_pct).not_negative();
  options.add_option("--budget", flags.budget);
  options.add_option("--warmup", flags.warmup).not_negative();
  options.add_option("--iters", flags.iters).positive();
  options.add_option("--errRatio,--err-ratio,--err_ratio", flags.err_ratio).in_range(0.0, 1.0);
  options.add_option("--seed", flags.seed);
  options.add_flag("--cold_instructions,--cold-instructions", flags.cold_instructions);
  options.add_flag("--no_packing_look,--no-packing-look", flags.no_packing_look);
}

void declare_running(Options& options, TuneFlags& flags) {
  options.add_option("--device", flags.device);
  options.add_option("--mp", flags.mp);
  options.add_option("--batch", flags.batch).positive();
  options.add_option("--timeout", flags.timeout_s).positive();
  options.add_flag("--shape_grouped,--shape-grouped", flags.shape_grouped);
  options.add_flag("--in_process,--in-process", flags.in_process);
  options.add_flag("-v,--verbose", flags.verbose);
}

}  // namespace

void declare_tune_flags(Options& options, TuneFlags& flags) {
  declare_files(options, flags);
  declare_model(options, flags);
  declare_choices(options, flags);
  declare_comparison(options, flags);
  declare_measuring(options, flags);
  declare_running(options, flags);
  declare_fleet_flags(options, flags.fleet);
}

std::vector<fs::path> tuned_paths(const TuneFlags& flags) {
  std::vector<fs::path> paths;
  for (const auto piece : split(flags.tune_file, ':'))
    if (!piece.empty()) paths.emplace_back(piece);
  if (paths.empty()) paths.push_back(default_tuned_path(list_name(flags)));
  return paths;
}

fs::path store_path(const TuneFlags& flags) {
  if (!flags.store.empty()) return flags.store;
  return tuned_paths(flags).front().replace_extension(".trials.db");
}

std::optional<Schema> chosen_schema(const TuneFlags& flags) {
  if (flags.schema.empty()) return std::nullopt;
  if (const auto schema = parse_schema(flags.schema)) return schema;
  fail(ErrorCode::usage, "--schema: found '{}', expected seed, today or gemmtune", flags.schema);
}

std::optional<Format> chosen_format(const TuneFlags& flags) { return format_named(flags.format); }

TritonKeys chosen_triton_keys(const TuneFlags& flags) {
  const auto keys = parse_triton_keys(flags.triton_keys);
  if (!keys) fail(ErrorCode::usage, "--triton_keys: found '{}', expected {}", flags.triton_keys, triton_keys_words());
  return *keys;
}

bool sorts(const TuneFlags& flags) {
  if (flags.sort.empty()) return true;
  const auto sort = parse_bool(flags.sort);
  if (!sort) fail(ErrorCode::usage, "--sort: found '{}', expected True or False", flags.sort);
  return *sort;
}

TunePlan plan_of(const TuneFlags& flags, const std::vector<std::string>& known_families) {
  TunePlan plan{.search = known_search(flags),
                .regret = flags.regret_pct / 100,
                .families = chosen_families(flags, known_families),
                .budget_s = budget_s(flags),
                .budget_text = flags.budget};
  for (auto* policy : {&plan.screen, &plan.confirm, &plan.prove}) {
    policy->verify.err_ratio_limit = flags.err_ratio;
    policy->seed = flags.seed;
  }
  for (auto* policy : {&plan.screen, &plan.confirm}) policy->measure.cold_instructions = flags.cold_instructions;
  plan.reuse_trials = !flags.fresh;
  plan.confirm.measure.warmup = flags.warmup;
  plan.confirm.measure.max_samples = flags.iters;
  plan.confirm.measure.min_samples = std::min(plan.confirm.measure.min_samples, flags.iters);
  return plan;
}

void insist_on_measurable(const TuneFlags& flags, const DeviceInfo& device) {
  if (!flags.cold_instructions) return;
  if (const auto why = why_not_cold_instructions(device.kind); !why.empty())
    fail(ErrorCode::usage, "--cold_instructions on {}: {}", device_id(device), why);
}

std::string policy_text(const EvaluationPolicy& policy) {
  const auto& measure = policy.measure;
  return fmt::format("{} warmup={} samples<={} {}{} err_ratio<={} seed={}", to_string(policy.stage), measure.warmup,
                     measure.max_samples, measure.cold_cache ? "cold" : "hot",
                     measure.cold_instructions ? " cold_instructions" : "", policy.verify.err_ratio_limit, policy.seed);
}

Problem with_types(Problem problem, const TuneFlags& flags) {
  if (!flags.in_dtype.empty()) set_input_types(problem, type_option("--in-dtype", flags.in_dtype));
  if (!flags.out_dtype.empty()) problem.out = type_option("--out-dtype", flags.out_dtype);
  problem.packed = problem.packed || flags.preshuffle;
  return problem;
}

}  // namespace gemmtune
