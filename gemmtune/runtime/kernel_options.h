// The kernels that may serve a problem, best first: those of the tables, then the families' own defaults.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/dispatch/answer.h"
#include "gemmtune/runtime/plan.h"
#include "gemmtune/runtime/prepared_kernel.h"

namespace gemmtune {

struct KernelOption {
  const KernelFamily* family{};  // null: this build does not have it
  std::string libtype{};
  std::string kernel_name{};  // "": the family's default candidate
  PlanOrigin origin{};

  bool operator==(const KernelOption&) const = default;
};

/// The row's kernel and the second best of the tables, as far as the answer has them.
std::vector<KernelOption> table_options(const FamilySet& set, const Answer& answer);

/// One option for each family that supports the problem, the best first. `preferred` is the family that a rule names,
/// or "".
std::vector<KernelOption> default_options(const FamilySet& set, const Problem& problem, std::string_view preferred);

/// "exact cublaslt NAME (table.csv:3)".
std::string to_string(const KernelOption& option);

}  // namespace gemmtune
