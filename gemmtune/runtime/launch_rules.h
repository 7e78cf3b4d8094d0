// What a launch needs, worked out once for a plan, so that checking the operands of a launch takes a few comparisons.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "gemmtune/families/family.h"
#include "gemmtune/gemm/operands.h"

namespace gemmtune {

enum class Refusal : std::uint8_t {
  none,
  missing_operand,  // an address is null that the problem needs, or the residual is C itself
  misaligned,
  small_workspace,
  wrong_packing,  // the weights are not packed, or packed for another layout
  wrong_device,   // of this thread, or this process
  failed,         // the library or the driver refused
};

/// The memory of one launch as its caller describes it.
struct LaunchOperands {
  Operands at{};
  std::uint64_t packed_layout{};
  std::size_t workspace_bytes{};
};

struct LaunchRules {
  std::size_t tensor_alignment{};
  std::size_t a_scale_alignment{};  // 0: A has no scales
  std::size_t w_scale_alignment{};
  bool has_bias{};
  bool has_residual{};
  std::size_t packed_bytes{};  // 0: weights are used as they are
  std::uint64_t packed_layout{};
  std::size_t workspace_bytes{};

  auto operator<=>(const LaunchRules&) const = default;
};

/// Of workspaces and of packed weights.
inline constexpr std::size_t buffer_alignment = 256;

LaunchRules launch_rules(const Problem& problem, const std::string& kernel_name, const PreparedGemm& gemm,
                         DeviceKind kind);

/// Whether a launch with these operands is refused. It reads the addresses, not what is there.
Refusal check_operands(const LaunchRules& rules, const LaunchOperands& operands) noexcept;

/// The refusal of check_operands() in words: what was found and what is expected.
std::string refusal_text(const LaunchRules& rules, const LaunchOperands& operands);

/// The same for packing: the weights, their scales, and where the packed weights go (packed_w).
Refusal check_packing(const LaunchRules& rules, const Operands& operands) noexcept;
std::string packing_refusal_text(const LaunchRules& rules, const Operands& operands);

}  // namespace gemmtune
