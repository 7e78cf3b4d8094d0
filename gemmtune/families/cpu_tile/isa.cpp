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
      {"avx2", {"avx2", "fma", "f16c"}},
      {"avxvnni", {"avx2", "fma", "f16c", "avx_vnni"}},
      {"avx512", {"avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512dq", "avx512vl"}},
      {"avx512vnni", {"avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_vnni"}},
      {"avx512bf16", {"avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_bf16"}},
      {"amxint8", {"avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512dq", "avx512vl", "amx_tile", "amx_int8"}},
      {"neon", {"asimd"}},
      {"neondot", {"asimd", "asimddp"}},
      {"neoni8mm", {"asimd", "asimddp", "i8mm"}},
      {"amxbf16", {"avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512dq", "avx512vl", "amx_tile", "amx_bf16"}},
  };
  return table;
}

}  // namespace

const Features& features_of_isa(std::string_view label) {
  const auto found = isa_table().find(label);
  if (found == isa_table().end()) fail(ErrorCode::internal, "cpu_tile knows no instruction set '{}'", label);
  return found->second;
}

std::string why_not_isa(std::string_view label, const DeviceInfo& device) {
  std::vector<std::string> missing;
  for (const std::string& feature : features_of_isa(label)) {
    if (!device.has(feature)) missing.push_back(feature);
  }
  if (!missing.empty()) return "the CPU has no " + join(missing, ", ");
  const bool is_arm = label.starts_with("neon");
  if (is_arm && GEMMTUNE_CPU_TILE_ARM == 0) return "not built for aarch64";
  if (!is_arm && label != "portable" && GEMMTUNE_CPU_TILE_X86 == 0) return "not built for x86-64";
  return "";
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
