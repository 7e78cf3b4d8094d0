// What to run if no row says: rules that look only at the problem and the device. AITER's rules for its devices,
// condition by condition; for other devices the vendor's library, which chooses its own kernel.
#pragma once

#include "gemmtune/dispatch/answer.h"
#include "gemmtune/dispatch/device_key.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// The family that one of AITER's rules is for.
enum class RuleFamily : std::uint8_t { sixteen_bit, eight_bit, eight_bit_packed, block_scaled, mxfp4, other };

/// One rule. The first rule whose condition holds chooses.
struct FallbackRule {
  RuleFamily family{RuleFamily::other};
  bool (*applies)(const Problem&, const DeviceKey&) noexcept {};
  Choice choice{};  // an empty kernel_name: the library's own heuristic; an empty libtype: there is no kernel
};

/// The rule's choice, valid for as long as the program runs. Null if no rule knows a kernel.
[[nodiscard]] const Choice* fallback_for(const Problem& problem, const DeviceKey& device) noexcept;

/// Whether AITER's skinny kernels can compute this problem: M up to 16, few channels, K a multiple of 8, 16-bit
/// inputs.
[[nodiscard]] bool is_skinny(const Problem& problem, const DeviceKey& device) noexcept;

}  // namespace gemmtune
