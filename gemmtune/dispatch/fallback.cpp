#include "gemmtune/dispatch/fallback.h"

#include <array>
#include <span>

namespace gemmtune {
namespace {

bool is_coarse(Scaling scaling) noexcept { return scaling == Scaling::row || scaling == Scaling::tensor; }

RuleFamily rule_family(const Problem& p) noexcept {
  if (p.a.type != p.w.type) return RuleFamily::other;
  if (p.a.scaling == Scaling::none && p.w.scaling == Scaling::none)
    return is_half(p.a.type) || p.a.type == DType::f32 || p.a.type == DType::tf32 ? RuleFamily::sixteen_bit
                                                                                  : RuleFamily::other;
  if (is_mxfp4(p.a) && is_mxfp4(p.w)) return RuleFamily::mxfp4;
  if (!is_8bit(p.a.type)) return RuleFamily::other;
  if (p.a.scaling == Scaling::block_1x128 && p.w.scaling == Scaling::block_128x128) return RuleFamily::block_scaled;
  if (!is_coarse(p.a.scaling) || !is_coarse(p.w.scaling)) return RuleFamily::other;
  return p.packed ? RuleFamily::eight_bit_packed : RuleFamily::eight_bit;
}

bool always(const Problem&, const DeviceKey&) noexcept { return true; }

bool is_batched(const Problem& p, const DeviceKey&) noexcept { return p.batch > 1; }

bool is_packed(const Problem& p, const DeviceKey&) noexcept { return p.packed; }

bool is_packed_on_gfx942(const Problem& p, const DeviceKey& device) noexcept {
  return p.packed && device.architecture == Architecture::gfx942;
}

bool fits_packed_assembly(const Problem& p, const DeviceKey&) noexcept {
  const bool writes = p.out == DType::bf16 || p.out == DType::f32;
  return p.packed && p.a.type == DType::bf16 && p.n % 64 == 0 && p.k % 64 == 0 && writes;
}

bool has_skinny_kernels(const DeviceKey& device) noexcept {
  return device.architecture == Architecture::gfx90a || device.architecture == Architecture::gfx942 ||
         device.architecture == Architecture::gfx950;
}

bool is_skinny_here(const Problem& p, const DeviceKey& device) noexcept {
  return has_skinny_kernels(device) && is_skinny(p, device);
}

bool is_half_on_gfx1250(const Problem& p, const DeviceKey& device) noexcept {
  return device.architecture == Architecture::gfx1250 && is_half(p.a.type);
}

bool is_gfx942(const Problem&, const DeviceKey& device) noexcept { return device.architecture == Architecture::gfx942; }

/// CK's code for 8-bit inputs is for CDNA only.
bool is_no_gfx9(const Problem&, const DeviceKey& device) noexcept {
  return device.architecture == Architecture::gfx1250 || device.architecture == Architecture::other_gfx;
}

/// CK's block-scaled code is built for a few devices. Shuffled weights are Triton's on gfx1250 all the same.
bool has_no_block_code(const Problem& p, const DeviceKey& device) noexcept {
  if (device.architecture == Architecture::gfx1250) return p.packed;
  return device.architecture != Architecture::gfx942 && device.architecture != Architecture::gfx950;
}

bool fits_packed_8bit(const Problem& p, const DeviceKey&) noexcept {
  return p.k >= 512 || (p.k >= 192 && p.k % 64 == 0);
}

constexpr Choice no_kernel{};

constexpr Choice left_to(std::string_view libtype, std::int64_t kernel_id, std::string_view rule) {
  return {.libtype = libtype, .kernel_name = "", .kernel_id = kernel_id, .source = rule};
}

/// AITER's rules, in the order in which its dispatchers test them.
constexpr std::array<FallbackRule, 17> aiter_rules{{
    {RuleFamily::sixteen_bit, is_batched, left_to("ck", -1, "rule: CK for batches")},
    {RuleFamily::sixteen_bit, is_packed_on_gfx942, left_to("hipblaslt", -1, "rule: shuffled weights on gfx942")},
    {RuleFamily::sixteen_bit, fits_packed_assembly,
     left_to("asm", 0, "rule: shuffled bf16 weights, N and K multiples of 64")},
    {RuleFamily::sixteen_bit, is_packed, no_kernel},
    {RuleFamily::sixteen_bit, is_skinny_here, left_to("skinny", 2, "rule: few tokens and channels")},
    {RuleFamily::sixteen_bit, is_half_on_gfx1250, left_to("triton", -1, "rule: 16-bit inputs on gfx1250")},
    {RuleFamily::sixteen_bit, always, left_to("torch", 0, "rule: torch for all other 16-bit inputs")},
    {RuleFamily::mxfp4, is_gfx942, no_kernel},
    {RuleFamily::mxfp4, always, left_to("asm", -1, "rule: assembly kernels for MXFP4")},
    {RuleFamily::eight_bit_packed, fits_packed_8bit,
     left_to("ck", -1, "rule: CK, shuffled 8-bit weights, K >= 512 or a multiple of 64 from 192")},
    {RuleFamily::eight_bit_packed, always, no_kernel},
    {RuleFamily::eight_bit, is_no_gfx9, left_to("triton", -1, "rule: Triton for 8-bit inputs off gfx9")},
    {RuleFamily::eight_bit, always, left_to("ck", -1, "rule: CK for 8-bit inputs")},
    {RuleFamily::block_scaled, is_batched, left_to("opus", -1, "rule: Opus for block-scaled batches")},
    {RuleFamily::block_scaled, has_no_block_code,
     left_to("triton", -1, "rule: Triton for block-scaled inputs where CK has no code")},
    {RuleFamily::block_scaled, always, left_to("ck", -1, "rule: CK for block-scaled inputs")},
    {RuleFamily::other, always, no_kernel},
}};

/// The vendor's library chooses well enough and is always available. There is no rule for formats with scales: which
/// of them a library takes depends on its version.
constexpr std::array<FallbackRule, 1> cuda_rules{
    {{RuleFamily::sixteen_bit, always, left_to("cublaslt", -1, "rule: cuBLASLt, its own heuristic")}}};
constexpr std::array<FallbackRule, 1> cpu_rules{
    {{RuleFamily::sixteen_bit, always, left_to("onednn", -1, "rule: oneDNN, its own heuristic")}}};

std::span<const FallbackRule> rules_for(const DeviceKey& device) noexcept {
  if (device.architecture == Architecture::cpu) return cpu_rules;
  if (device.architecture == Architecture::cuda) return cuda_rules;
  return aiter_rules;
}

}  // namespace

bool is_skinny(const Problem& p, const DeviceKey& device) noexcept {
  const auto units = device.cu_num;
  if (!is_half(p.a.type) || p.k % 8 != 0) return false;
  if (p.m == 1) return p.n <= 2 * units && p.k <= 9216;
  if (p.m <= 4) return p.n <= units && p.k <= 9216;
  if (p.m <= 8) return p.n <= units && p.k <= 5120;
  return p.m <= 16 && p.n <= units && p.k <= 256;
}

const Choice* fallback_for(const Problem& problem, const DeviceKey& device) noexcept {
  if (problem.m < 1 || problem.n < 1 || problem.k < 1 || problem.batch < 1) return nullptr;
  if (!is_plain(problem)) return nullptr;  // AITER's rules are about plain products of contiguous operands
  const auto family = rule_family(problem);
  for (const auto& rule : rules_for(device))
    if (rule.family == family && rule.applies(problem, device))
      return rule.choice.libtype.empty() ? nullptr : &rule.choice;
  return nullptr;
}

}  // namespace gemmtune
