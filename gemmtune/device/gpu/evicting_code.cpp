#include "gemmtune/device/gpu/evicting_code.h"

#include <fmt/format.h>

#include <cstdint>

namespace gemmtune {
namespace {

constexpr int kernel_count = 16;
constexpr int instructions_each = 2048;  // an instruction has 16 bytes on all GPUs since Volta

/// The text of one kernel. The compiler knows none of the values that it computes with. Each instruction needs earlier
/// results and has a constant of its own, so that none can be removed, folded into another, or put into a loop.
std::string kernel_text(const std::string& name, std::uint32_t seed) {
  std::string text = fmt::format(R"(
.visible .entry {}(.param .u64 to) {{
  .reg .u32 %r<4>;
  .reg .u64 %to;
  .reg .pred %wanted;
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %clock;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %laneid;
)",
                                 name);
  for (int i = 0; i < instructions_each; ++i) {
    seed = seed * 1664525U + 1013904223U;
    text += fmt::format("  mad.lo.u32 %r{0}, %r{0}, {1}, %r{2};\n", i % 4, seed | 1U, (i + 1) % 4);
  }
  return text + R"(  xor.b32 %r0, %r0, %r1;
  xor.b32 %r2, %r2, %r3;
  xor.b32 %r0, %r0, %r2;
  ld.param.u64 %to, [to];
  setp.ne.u64 %wanted, %to, 0;
  @%wanted st.global.u32 [%to], %r0;
  ret;
}
)";
}

}  // namespace

std::vector<std::string> evicting_kernels() {
  std::vector<std::string> names;
  names.reserve(kernel_count);
  for (int i = 0; i < kernel_count; ++i) names.push_back(fmt::format("evict{}", i));
  return names;
}

std::string evicting_code() {
  std::string text = ".version 6.0\n.target sm_50\n.address_size 64\n";
  std::uint32_t seed = 1;
  for (const auto& name : evicting_kernels()) text += kernel_text(name, seed++);
  return text;
}

}  // namespace gemmtune
