// A problem and its operands as the float kernels see them (float_kernels.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/families/cpu_tile/float_kernels.h"
#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/gemm/rounding.h"

namespace gemmtune::cpu_tile {

/// Why the float kernels cannot multiply this problem, or "". int8 × int8 with tensor and row scales is left to the
/// int8 kernels, which are exact.
std::string why_not_float(const Problem& problem);

/// Whether both sides are bf16 without scales, which kernels on pairs can multiply.
bool multiplies_pairs(const Problem& problem);

/// The part of candidates' names that states the types: "f32", "bf16xe4m3".
std::string types_label(const Problem& problem);

/// The instruction sets of the float kernels, best first.
const std::vector<std::string>& float_isas();

/// The kernels of one instruction set. Builds for other architectures than x86-64 and 64-bit Arm have
/// only "portable".
const FloatKernels& float_kernels(std::string_view isa);

Source source_of(DType type);
Sink sink_of(DType type);
std::int64_t sink_bytes(Sink sink);

/// The bytes of one side of one batch. Scales may be null if the side has none.
struct SideBytes {
  const std::byte* values{};
  const std::byte* scales{};
};

Rows rows_of_a(const Problem& problem, const SideBytes& bytes, std::int64_t batch);
Rows rows_of_w(const Problem& problem, const SideBytes& bytes, std::int64_t batch);

/// The same rows of bf16, with pairs along K as elements.
Rows as_pairs(Rows rows);

}  // namespace gemmtune::cpu_tile
