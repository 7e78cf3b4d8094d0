#include "gemmtune/cli/table/tunable_op_export.h"

#include <fmt/format.h>

#include <optional>

namespace gemmtune {
namespace {

using Families = std::vector<std::unique_ptr<KernelFamily>>;

constexpr std::string_view default_solution = "Default";

/// A solution, or why there is none.
struct Solution {
  std::string text{};
  bool fast_accumulation{};
  bool is_over_workspace{};
  std::string why_not{};
};

std::optional<LibraryKernel> kernel_of(const TunedRow& row, const Families& families) {
  for (const auto& family : families)
    if (auto kernel = family->library_kernel(row.kernel_name)) return kernel;
  return std::nullopt;
}

Solution cuda_solution(const TunedRow& row, const TunableOpTarget& target, const Families& families) {
  const auto kernel = kernel_of(row, families);
  if (!kernel) return {.why_not = fmt::format("PyTorch has no kernels of {}", row.libtype)};
  const auto version = validator(target.validators, "CUBLASLT_VERSION");
  if (std::to_string(kernel->version) != version)
    return {.why_not = fmt::format("they were tuned with version {} of the library, and PyTorch has {}: tune with "
                                   "PyTorch's copy",
                                   kernel->version, version)};
  if (kernel->workspace_mib > target.workspace_mib)
    return {.text = std::string(default_solution),
            .fast_accumulation = kernel->fast_accumulation,
            .is_over_workspace = true};
  return {.text = solution_text(*kernel), .fast_accumulation = kernel->fast_accumulation};
}

/// AMD's libraries number their kernels anew with each build.
Solution rocm_solution(const TunedRow& row, const TunableOpTarget& target) {
  if (row.libtype != "hipblaslt" && row.libtype != "rocblas")
    return {.why_not = fmt::format("PyTorch has no kernels of {}", row.libtype)};
  const bool is_hipblaslt = row.libtype == "hipblaslt";
  const auto version = validator(target.validators, is_hipblaslt ? "HIPBLASLT_VERSION" : "ROCBLAS_VERSION");
  if (row.kernel_id < 0) return {.why_not = "they do not say the kernel's number"};
  if (!target.trusts_ids && row.origin.library != library_text(row.libtype, version))
    return {.why_not =
                fmt::format("they do not say that their numbers are of {} {} (--trust-ids takes them as they are)",
                            row.libtype, version)};
  return {.text = fmt::format("Gemm_{}_{}", is_hipblaslt ? "Hipblaslt" : "Rocblas", row.kernel_id)};
}

Solution solution_of(const TunedRow& row, const TunableOpTarget& target, const Families& families) {
  if (auto why = why_no_tunable_op(row.problem); !why.empty()) return {.why_not = std::move(why)};
  if (row.libtype == "torch") return {.text = std::string(default_solution)};
  return build_of(target.validators) == TorchBuild::cuda ? cuda_solution(row, target, families)
                                                         : rocm_solution(row, target);
}

}  // namespace

TunableOpEntries tunable_op_entries(const std::vector<TunedRow>& rows, const TunableOpTarget& target,
                                    const Families& families, LeftOutRows& left_out) {
  TunableOpEntries result;
  for (const auto& row : rows) {
    const auto solution = solution_of(row, target, families);
    if (!solution.why_not.empty()) {
      left_out.add(solution.why_not, to_string(row.problem));
      continue;
    }
    result.rows.push_back(row);
    result.over_workspace += solution.is_over_workspace ? 1 : 0;
    result.entries.push_back({.call = {.problem = row.problem, .fast_accumulation = solution.fast_accumulation},
                              .solution = solution.text,
                              .time_us = row.time_us});
  }
  return result;
}

}  // namespace gemmtune
