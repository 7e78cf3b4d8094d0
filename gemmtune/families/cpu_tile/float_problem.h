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

/// Why the float kernels cannot multiply this, or "". int8 × int8 under tensor and row scales is left to exact
/// arithmetic.
std::string why_not_float(const Problem& problem);

/// Whether both sides are bf16 without scales: what pairs can multiply.
bool multiplies_pairs(const Problem& problem);

/// "f32", "bf16xe4m3": the part of candidates' names that says what is multiplied.
std::string types_label(const Problem& problem);

/// The instruction sets of the float kernels, best first.
const std::vector<std::string>& float_isas();

/// The kernels of one of them; only "portable" in builds for another architecture than x86-64.
const FloatKernels& float_kernels(std::string_view isa);

Source source_of(DType type);
Sink sink_of(DType type);
std::int64_t sink_bytes(Sink sink);

/// Where one side of one batch lies. Scales may be null where the side has none.
struct SideBytes {
  const std::byte* values{};
  const std::byte* scales{};
};

Rows rows_of_a(const Problem& problem, const SideBytes& bytes, std::int64_t batch);
Rows rows_of_w(const Problem& problem, const SideBytes& bytes, std::int64_t batch);

/// bf16 rows taken two by two along K.
Rows as_pairs(Rows rows);

}  // namespace gemmtune::cpu_tile
