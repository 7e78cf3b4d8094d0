#include "gemmtune/families/cpu_tile/float_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "gemmtune/core/error.h"

namespace gemmtune::cpu_tile {
namespace {

constexpr float one = 1;

bool is_source(DType type) {
  constexpr DType sources[] = {DType::f32, DType::bf16, DType::f16, DType::e4m3, DType::e4m3fnuz, DType::i8};
  return std::find(std::begin(sources), std::end(sources), type) != std::end(sources);
}

/// Whether values quantised to the type's range can have squares that are too large for float.
bool fills_float(DType type) { return type == DType::f32 || type == DType::bf16; }

bool scaled_by_rows(const Side& side) {
  return side.scaling == Scaling::none || side.scaling == Scaling::tensor || side.scaling == Scaling::row;
}

struct SideShape {
  std::int64_t rows{};
  std::int64_t k{};
  std::int64_t batch{};
};

Rows rows_of(const Side& side, const SideShape& shape, const SideBytes& bytes) {
  const std::int64_t row_bytes = storage_bytes(side.type, shape.k);
  Rows rows{.values = bytes.values + shape.batch * shape.rows * row_bytes, .row_bytes = row_bytes, .depth = shape.k};
  const ScaleGrid grid = scale_grid(side.scaling, shape.rows, shape.k);
  if (grid.count() == 0) {
    rows.scales = &one;
    rows.row_block = std::max<std::int64_t>(1, shape.rows);
    rows.k_block = shape.k;
    return rows;
  }
  rows.scales = reinterpret_cast<const float*>(bytes.scales) + shape.batch * grid.count();
  rows.scale_cols = grid.cols;
  rows.row_block = grid.row_block;
  rows.k_block = grid.k_block;
  return rows;
}

/// Tiles read values as they are stored, and scales as floats.
std::string why_not_scaled(const Side& side) {
  if (is_q8_in_call(side)) return "float tiles do not quantise A";
  if (scale_grid(side.scaling, 1, 1).type == DType::f32) return {};
  return fmt::format("float tiles do not read {} scales", to_string(side.scaling));
}

}  // namespace

std::string why_not_float(const Problem& problem) {
  for (const Side& side : {problem.a, problem.w}) {
    if (!is_source(side.type)) return fmt::format("float tiles do not read {}", to_string(side.type));
    if (side.scaling != Scaling::none && fills_float(side.type)) {
      return fmt::format("scaled {} would overflow float sums", to_string(side.type));
    }
    if (auto why = why_not_scaled(side); !why.empty()) return why;
  }
  const bool exact = problem.a.type == DType::i8 && problem.w.type == DType::i8;
  if (exact && scaled_by_rows(problem.a) && scaled_by_rows(problem.w)) return "int8 × int8 is multiplied exactly";
  return why_invalid(problem);
}

bool multiplies_pairs(const Problem& problem) {
  constexpr Side plain{.type = DType::bf16, .scaling = Scaling::none};
  return problem.a == plain && problem.w == plain;
}

std::string types_label(const Problem& problem) {
  const auto a = to_string(problem.a.type);
  const auto w = to_string(problem.w.type);
  return a == w ? std::string(a) : fmt::format("{}x{}", a, w);
}

const std::vector<std::string>& float_isas() {
  static const std::vector<std::string> isas{"amxbf16", "avx512bf16", "avx512", "avx2", "portable"};
  return isas;
}

const FloatKernels& float_kernels(std::string_view isa) {
  if (isa == "portable") return float_kernels_portable();
#if GEMMTUNE_CPU_TILE_X86
  if (isa == "avx2") return float_kernels_avx2();
  if (isa == "avx512") return float_kernels_avx512();
  if (isa == "avx512bf16") return float_kernels_avx512bf16();
  if (isa == "amxbf16") return float_kernels_amxbf16();
#endif
  fail(ErrorCode::unsupported, "cpu_tile has no float kernels for '{}'", isa);
}

Source source_of(DType type) {
  switch (type) {
    case DType::f32:
      return Source::f32;
    case DType::bf16:
      return Source::bf16;
    case DType::f16:
      return Source::f16;
    case DType::e4m3:
      return Source::e4m3;
    case DType::e4m3fnuz:
      return Source::e4m3fnuz;
    case DType::i8:
      return Source::i8;
    default:
      fail(ErrorCode::unsupported, "float tiles do not read {}", to_string(type));
  }
}

Sink sink_of(DType type) {
  if (type == DType::f32) return Sink::f32;
  if (type == DType::bf16) return Sink::bf16;
  if (type == DType::f16) return Sink::f16;
  fail(ErrorCode::unsupported, "float tiles do not write {}", to_string(type));
}

std::int64_t sink_bytes(Sink sink) { return sink == Sink::f32 ? 4 : 2; }

Rows rows_of_a(const Problem& problem, const SideBytes& bytes, std::int64_t batch) {
  return rows_of(problem.a, {problem.m, problem.k, batch}, bytes);
}

Rows rows_of_w(const Problem& problem, const SideBytes& bytes, std::int64_t batch) {
  return rows_of(problem.w, {problem.n, problem.k, batch}, bytes);
}

Rows as_pairs(Rows rows) {
  rows.depth = ceil_div(rows.depth, 2);
  return rows;
}

}  // namespace gemmtune::cpu_tile
