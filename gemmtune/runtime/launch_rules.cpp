#include "gemmtune/runtime/launch_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

std::size_t element_bytes(DType type) { return static_cast<std::size_t>(storage_bytes(type, 1)); }

/// On a CPU, elements are aligned to their own size.
AddressAlignment alignment_of(const Problem& p, const PreparedGemm& gemm, DeviceKind kind) {
  if (kind != DeviceKind::cpu) return gemm.alignment();
  return {.tensors = std::max({element_bytes(p.a.type), element_bytes(p.w.type), element_bytes(p.out)}), .scales = 4};
}

std::size_t scale_alignment(const Side& side, const AddressAlignment& alignment, DeviceKind kind) {
  const auto grid = scale_grid(side.scaling, 1, 1);
  if (grid.count() == 0) return 0;
  if (kind == DeviceKind::cpu) return grid.has_tensor_scale ? sizeof(float) : element_bytes(grid.type);
  return side.scaling == Scaling::tensor ? sizeof(float) : alignment.scales;
}

/// Never 0. Where no other candidate reads the packed weights, the number is of this kernel and this problem alone.
std::uint64_t layout_number(const Problem& p, const std::string& kernel_name, const PreparedGemm& gemm) {
  if (gemm.packed_weight_bytes() == 0) return 0;
  const auto layout = gemm.packed_layout();
  const auto text = layout.empty() ? fmt::format("{} {}", to_string(p), kernel_name)
                                   : fmt::format("{} {} {} {} {} {}", layout, p.n, p.k, p.batch, to_string(p.w.type),
                                                 to_string(p.w.scaling));
  return std::max<std::uint64_t>(hash64(text), 1);
}

std::uintptr_t bits_of(const std::byte* address) noexcept { return reinterpret_cast<std::uintptr_t>(address); }

bool is_off(const std::byte* address, std::size_t alignment) noexcept {
  return alignment > 0 && (bits_of(address) & (alignment - 1)) != 0;
}

bool lacks_operand(const LaunchRules& rules, const Operands& at) noexcept {
  const bool lacks_weights = rules.packed_bytes == 0 && at.w == nullptr;
  const bool lacks_scales =
      (rules.a_scale_alignment > 0 && at.a_scale == nullptr) || (rules.w_scale_alignment > 0 && at.w_scale == nullptr);
  const bool lacks_more =
      (rules.has_bias && at.bias == nullptr) || (rules.has_residual && (at.residual == nullptr || at.residual == at.c));
  return at.a == nullptr || at.c == nullptr || lacks_weights || lacks_scales || lacks_more;
}

/// Operands that the problem does not have are not looked at.
std::uintptr_t tensor_bits(const LaunchRules& rules, const Operands& at) noexcept {
  std::uintptr_t bits = bits_of(at.a) | bits_of(at.c);
  if (rules.packed_bytes == 0) bits |= bits_of(at.w);
  if (rules.has_bias) bits |= bits_of(at.bias);
  if (rules.has_residual) bits |= bits_of(at.residual);
  return bits;
}

bool is_misaligned(const LaunchRules& rules, const LaunchOperands& operands) noexcept {
  const auto& at = operands.at;
  std::uintptr_t buffers = rules.workspace_bytes > 0 ? bits_of(at.workspace) : 0;
  if (rules.packed_bytes > 0) buffers |= bits_of(at.packed_w);
  return (tensor_bits(rules, at) & (rules.tensor_alignment - 1)) != 0 || (buffers & (buffer_alignment - 1)) != 0 ||
         is_off(at.a_scale, rules.a_scale_alignment) || is_off(at.w_scale, rules.w_scale_alignment);
}

struct NamedAddress {
  std::string_view name{};
  const std::byte* address{};
  std::size_t alignment{};  // 0: the problem does not have it
};

std::array<NamedAddress, 9> addresses_of(const LaunchRules& rules, const Operands& at) {
  const auto tensor = rules.tensor_alignment;
  const bool packs = rules.packed_bytes > 0;
  return {{{"a", at.a, tensor},
           {"w", at.w, packs ? 0 : tensor},
           {"c", at.c, tensor},
           {"a_scale", at.a_scale, rules.a_scale_alignment},
           {"w_scale", at.w_scale, rules.w_scale_alignment},
           {"bias", at.bias, rules.has_bias ? tensor : 0},
           {"residual", at.residual, rules.has_residual ? tensor : 0},
           {"packed_w", at.packed_w, packs ? buffer_alignment : 0},
           {"workspace", at.workspace, rules.workspace_bytes > 0 ? buffer_alignment : 0}}};
}

std::string address_text(const LaunchRules& rules, const Operands& at) {
  for (const auto& [name, address, alignment] : addresses_of(rules, at)) {
    if (alignment == 0) continue;
    if (address == nullptr) return fmt::format("{} is null, and the problem has it", name);
    if (is_off(address, alignment))
      return fmt::format("{} is at {}, which is no multiple of {} bytes", name, fmt::ptr(address), alignment);
  }
  return rules.has_residual && at.residual == at.c ? "the residual is C itself" : "";
}

}  // namespace

LaunchRules launch_rules(const Problem& problem, const std::string& kernel_name, const PreparedGemm& gemm,
                         DeviceKind kind) {
  const auto alignment = alignment_of(problem, gemm, kind);
  return {.tensor_alignment = alignment.tensors,
          .a_scale_alignment = scale_alignment(problem.a, alignment, kind),
          .w_scale_alignment = scale_alignment(problem.w, alignment, kind),
          .has_bias = problem.epilogue.bias,
          .has_residual = problem.epilogue.residual,
          .packed_bytes = gemm.packed_weight_bytes(),
          .packed_layout = layout_number(problem, kernel_name, gemm),
          .workspace_bytes = gemm.workspace_bytes()};
}

Refusal check_operands(const LaunchRules& rules, const LaunchOperands& operands) noexcept {
  const auto& at = operands.at;
  if (lacks_operand(rules, at)) return Refusal::missing_operand;
  if (rules.packed_bytes > 0 && (at.packed_w == nullptr || operands.packed_layout != rules.packed_layout))
    return Refusal::wrong_packing;
  if (rules.workspace_bytes > 0 && (at.workspace == nullptr || operands.workspace_bytes < rules.workspace_bytes))
    return Refusal::small_workspace;
  return is_misaligned(rules, operands) ? Refusal::misaligned : Refusal::none;
}

std::string refusal_text(const LaunchRules& rules, const LaunchOperands& operands) {
  switch (check_operands(rules, operands)) {
    case Refusal::wrong_packing:
      if (operands.at.packed_w == nullptr) return "packed_w is null, and the plan's kernel reads packed weights";
      return fmt::format("packed_layout is {:#x}, and the plan's kernel reads {:#x}", operands.packed_layout,
                         rules.packed_layout);
    case Refusal::small_workspace:
      if (operands.at.workspace == nullptr)
        return fmt::format("workspace is null, {} bytes are needed", rules.workspace_bytes);
      return fmt::format("the workspace has {} bytes, {} are needed", operands.workspace_bytes, rules.workspace_bytes);
    case Refusal::missing_operand:
    case Refusal::misaligned:
      return address_text(rules, operands.at);
    default:
      return {};
  }
}

Refusal check_packing(const LaunchRules& rules, const Operands& at) noexcept {
  const bool lacks_scales = rules.w_scale_alignment > 0 && at.w_scale == nullptr;
  if (rules.packed_bytes == 0) return Refusal::wrong_packing;
  if (at.w == nullptr || at.packed_w == nullptr || lacks_scales) return Refusal::missing_operand;
  const bool off = is_off(at.w, rules.tensor_alignment) || is_off(at.packed_w, buffer_alignment) ||
                   is_off(at.w_scale, rules.w_scale_alignment);
  return off ? Refusal::misaligned : Refusal::none;
}

std::string packing_refusal_text(const LaunchRules& rules, const Operands& at) {
  if (rules.packed_bytes == 0) return "the plan's kernel reads the weights as they are";
  const std::array<NamedAddress, 3> all{{{"w", at.w, rules.tensor_alignment},
                                         {"w_scale", at.w_scale, rules.w_scale_alignment},
                                         {"packed", at.packed_w, buffer_alignment}}};
  for (const auto& [name, address, alignment] : all) {
    if (alignment == 0) continue;
    if (address == nullptr) return fmt::format("{} is null", name);
    if (is_off(address, alignment))
      return fmt::format("{} is at {}, which is no multiple of {} bytes", name, fmt::ptr(address), alignment);
  }
  return {};
}

}  // namespace gemmtune
