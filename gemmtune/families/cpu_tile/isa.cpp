#include "gemmtune/families/cpu_tile/isa.h"

#include <algorithm>
#include <map>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"

#if GEMMTUNE_CPU_TILE_X86
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace gemmtune::cpu_tile {
namespace {

using Features = std::vector<std::string>;

const std::map<std::string, Features, std::less<>>& isa_table() {
  static const std::map<std::string, Features, std::less<>> table{
      {"portable", {}},
      {"neon", {"asimd"}},
      {"neonbf16", {"asimd", "bf16"}},
      {"neondot", {"asimd", "asimddp"}},
      {"neoni8mm", {"asimd", "asimddp", "i8mm"}},
      {"avx2", {"avx2", "fma", "f16c"}},
      {"avxvnni", {"avx2", "fma", "f16c", "avx_vnni"}},
      {"avx512", {"avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512dq", "avx512vl"}},
      {"avx512vnni", {"avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_vnni"}},
      {"avx512bf16", {"avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_bf16"}},
      {"amxint8", {"avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512dq", "avx512vl", "amx_tile", "amx_int8"}},
      {"amxbf16", {"avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512dq", "avx512vl", "amx_tile", "amx_bf16"}},
  };
  return table;
}

/// The architecture whose kernels these are: the first of the features tells.
std::string_view architecture_of(const Features& features) {
  return features.front() == "asimd" ? "64-bit Arm" : "x86-64";
}

constexpr std::string_view built_for = GEMMTUNE_CPU_TILE_X86 ? "x86-64" : GEMMTUNE_CPU_TILE_ARM ? "64-bit Arm" : "";

}  // namespace

const Features& features_of_isa(std::string_view label) {
  const auto found = isa_table().find(label);
  if (found == isa_table().end()) fail(ErrorCode::internal, "cpu_tile knows no instruction set '{}'", label);
  return found->second;
}

std::string why_not_isa(std::string_view label, const DeviceInfo& device) {
  const Features& features = features_of_isa(label);
  if (features.empty()) return "";
  if (const auto architecture = architecture_of(features); architecture != built_for) {
    return "this gemmtune is not built for " + std::string(architecture);
  }
  std::vector<std::string> missing;
  for (const std::string& feature : features) {
    if (!device.has(feature)) missing.push_back(feature);
  }
  return missing.empty() ? "" : "the CPU has no " + join(missing, ", ");
}

std::vector<std::string> runnable_isas(const std::vector<std::string>& labels, const DeviceInfo& device) {
  std::vector<std::string> runnable;
  std::copy_if(labels.begin(), labels.end(), std::back_inserter(runnable),
               [&](const std::string& label) { return why_not_isa(label, device).empty(); });
  return runnable;
}

bool allow_amx_tiles() {
#if GEMMTUNE_CPU_TILE_X86
  // Linux gives the 8 KiB of tile state only to processes that request it (Documentation/arch/x86/xstate.rst).
  constexpr long request_permission = 0x1023;
  constexpr long tile_data = 18;
  static const bool allowed = syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
  return allowed;
#else
  return false;
#endif
}

}  // namespace gemmtune::cpu_tile
