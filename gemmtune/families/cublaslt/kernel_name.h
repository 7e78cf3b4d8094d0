// Names of this family's candidates. A name states everything that is needed to run the candidate, including the
// version of the library.
//
//   cublaslt_a66_t128x256_s64xauto_k1_r0_z0_o3_i0_c2x1_f0_w32_v130100
//   cublaslt_default_a66_…   the library's own first choice
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gemmtune/families/cublaslt/algo_config.h"
#include "gemmtune/space/candidate.h"
#include "gemmtune/space/library_kernel.h"

namespace gemmtune::cublaslt {

struct KernelName {
  bool is_default{};  // the library's heuristic ranks it first, so users have it
  AlgoConfig config{};
  bool fast_accumulation{};      // FP8 sums stay in the tensor cores ("f1")
  std::int64_t workspace_mib{};  // the workspace that it may use ("w32")
  std::int64_t version{};        // the library's version: 130100 is 13.1.0

  auto operator<=>(const KernelName&) const = default;
};

std::string to_string(const KernelName& name);

/// The inverse of to_string(). Empty for texts that to_string() never writes.
std::optional<KernelName> parse_kernel_name(std::string_view text);

Candidate candidate_of(const KernelName& name);

/// The same in the library's numbers, as PyTorch's TunableOp orders them: id, tile, stages, splitk, red, swizzle,
/// custom, inner, cluster.
LibraryKernel library_kernel_of(const KernelName& name);

/// The inverse, except that no name is the library's first choice. Empty if a setting is missing, unknown or no number.
std::optional<KernelName> kernel_name_of(const LibraryKernel& kernel);

/// The version as text: "13.1.0".
std::string version_text(std::int64_t version);

}  // namespace gemmtune::cublaslt
