// The options of `gemmtune tune`: the flags as typed, and what they mean. AITER's option names work in its own spelling
// and with dashes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/cli/fleet/fleet_options.h"
#include "gemmtune/cli/options.h"
#include "gemmtune/gemm/format.h"
#include "gemmtune/table/sheet/schema.h"
#include "gemmtune/table/triton/triton_rule.h"
#include "gemmtune/tune/tuner.h"

namespace gemmtune {

/// The flags as typed.
struct TuneFlags {
  std::string untune_file{};
  std::string model_dir{};  // of a model whose shapes are tuned, instead of a list
  std::vector<std::int64_t> tensor_parallel{1};
  std::vector<std::int64_t> model_rows{1, 512, 1024, 2048, 3072, 4096, 8192, 16384};  // gradlib's --nsets
  std::int64_t model_batch{1};  // each of them is multiplied by it
  std::string tune_file{};
  std::string profile_file{};
  std::string triton_json{};  // the folder for Triton's configuration files; "": none are written
  std::string triton_keys{"sizes"};
  std::vector<std::string> triton_configs{};  // files and folders: what the search of Triton kernels starts from
  std::string store{};
  std::string format{};
  std::string schema{};
  std::string in_dtype{};
  std::string out_dtype{};
  std::string libtype{"all"};
  std::vector<std::string> workers{};  // commands
  std::string search{"race"};
  double regret_pct{100 * usual_regret};
  std::string budget{};
  std::string device{};
  std::string sort{};
  std::optional<std::int64_t> mp{};
  std::int64_t batch{100};
  std::int64_t warmup{confirm_policy().measure.warmup};
  std::int64_t iters{confirm_policy().measure.max_samples};
  double err_ratio{VerifyPolicy{}.err_ratio_limit};
  double timeout_s{1800};
  std::optional<double> max_gflop{};
  std::uint64_t seed{0};
  bool cold_instructions{};
  bool no_packing_look{};
  bool all{};
  bool fresh{};
  bool split_k{};
  std::int64_t most_candidates{std::numeric_limits<std::int64_t>::max()};
  bool verbose{};
  bool in_process{};
  bool preshuffle{};     // weights are packed ahead
  bool all_bias{};       // every shape with and without bias
  bool shape_grouped{};  // accepted: a shape is always tuned on one device
  std::optional<std::string> run_config{};
  bool compare{};
  bool update_improved{};
  double min_improvement_pct{3};
  FleetFlags fleet{};  // other machines that do it
};

void declare_tune_flags(Options& options, TuneFlags& flags);

/// The meaning of the flags. Each throws Error{usage} that says what was found and what was expected.
std::vector<std::filesystem::path> tuned_paths(const TuneFlags& flags);  // the first is written
std::filesystem::path store_path(const TuneFlags& flags);
TritonKeys chosen_triton_keys(const TuneFlags& flags);
std::optional<Format> chosen_format(const TuneFlags& flags);
std::optional<Schema> chosen_schema(const TuneFlags& flags);
bool sorts(const TuneFlags& flags);

/// The plan with search, regret, budget, families and policies, but without shapes.
TunePlan plan_of(const TuneFlags& flags, const std::vector<std::string>& known_families);

/// Throws Error{usage} when this device cannot measure in the way that was asked for.
void insist_on_measurable(const TuneFlags& flags, const DeviceInfo& device);

/// How winners are measured, for the tables that record it.
std::string policy_text(const EvaluationPolicy& policy);

/// The problem with the types of --in-dtype and --out-dtype, where they are given, in place of its own.
Problem with_types(Problem problem, const TuneFlags& flags);

}  // namespace gemmtune
