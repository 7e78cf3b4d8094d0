// What to run where no row says: rules that look at the problem and the device only. AITER's for its devices, condition
// by condition; for others the vendor's library, left to choose its own kernel.
#pragma once

#include "gemmtune/dispatch/answer.h"
#include "gemmtune/dispatch/device_key.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// Which family a rule of AITER's is for.
enum class RuleFamily : std::uint8_t { sixteen_bit, eight_bit, eight_bit_packed, block_scaled, mxfp4, other };

/// One rule: the first whose condition holds chooses.
struct FallbackRule {
  RuleFamily family{RuleFamily::other};
  bool (*applies)(const Problem&, const DeviceKey&) noexcept {};
  Choice choice{};  // kernel_name is empty: the library's own heuristic; an empty libtype: there is no kernel at all
};

/// The rule's choice, which lives as long as the program; null where no rule knows a kernel.
[[nodiscard]] const Choice* fallback_for(const Problem& problem, const DeviceKey& device) noexcept;

/// May AITER's skinny kernels compute this? (M up to 16, few channels, K a multiple of 8, 16-bit inputs.)
[[nodiscard]] bool is_skinny(const Problem& problem, const DeviceKey& device) noexcept;

}  // namespace gemmtune
