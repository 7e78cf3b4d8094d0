// The kernels for weights in scaled blocks of this build, by instruction set.
#pragma once

#include <span>
#include <string_view>

#include "gemmtune/families/cpu_tile/block_kernels.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune::cpu_tile {

struct BlockIsa {
  std::string_view label{};         // isa.h says whether a CPU can run it
  std::string_view finish_label{};  // of the float kernels that write C
  const BlockKernels& (*kernels)(){};
};

/// The instruction sets that multiply these types, the fastest first.
std::span<const BlockIsa> block_isas(const Problem& problem);

/// The one with this label, or null.
const BlockIsa* find_block_isa(const Problem& problem, std::string_view label);

}  // namespace gemmtune::cpu_tile
