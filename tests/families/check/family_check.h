// What every family must do, whatever it computes with: for the tests of each.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/families/family.h"
#include "gemmtune/gemm/draw.h"

namespace gemmtune::check {

/// One problem with drawn operands.
struct Case {
  std::string problem{};  // canonical text
  Recipe recipe{Recipe::gaussian};
  std::uint64_t seed{1};
  bool rounds_product{};  // the kernel may round the product to the output's type before the epilogue

  std::string text() const;
};

/// Prepares, packs and launches (twice, with different memory), and compares with the reference. Returns "" or what is
/// wrong, with a line that says how to reproduce it.
std::string why_wrong(const KernelFamily& family, const Case& one, const Candidate& candidate);

/// The same with the caller's operands, which `what` describes. The kernel must round only once.
std::string why_wrong_on(const KernelFamily& family, const Problem& problem, const HostOperands& host,
                         const Candidate& candidate, std::string_view what);

/// The same for all candidates of a supported problem: one line for each wrong candidate. If there are no candidates, a
/// line says so.
std::string why_any_wrong(const KernelFamily& family, const Case& one);

/// Checks that names are unique, say their family, and can be prepared from the name alone, and that mangled names are
/// refused with Error{unsupported}. Returns "" or what is wrong.
std::string why_names_wrong(const KernelFamily& family, const Problem& problem);

std::vector<std::string> candidate_names(const KernelFamily& family, std::string_view problem);

/// The reason with which a name is refused, or "" when it is not.
std::string why_refused(const KernelFamily& family, std::string_view problem, const std::string& name);

/// The CPU that tests run on.
DeviceInfo this_cpu();

/// The first device that the family runs on. All checks above use it. Nothing where there is none.
std::optional<DeviceInfo> device_of(const KernelFamily& family);

}  // namespace gemmtune::check
