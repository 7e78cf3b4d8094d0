#include "gemmtune/preload/call_reader.h"

#include <algorithm>
#include <array>

namespace gemmtune::preload {
namespace {

template <typename Value, typename Get, typename Object, typename Attribute>
Value attribute(Get get, Object object, Attribute which, Value otherwise) {
  Value value{};
  std::size_t written{};
  const auto status = get(object, which, &value, sizeof value, &written);
  return status == CUBLAS_STATUS_SUCCESS && written == sizeof value ? value : otherwise;
}

class OperationReader {
 public:
  OperationReader(const cublaslt::Library& library, cublasLtMatmulDesc_t operation)
      : library_(library), operation_(operation) {}

  std::int32_t number(cublasLtMatmulDescAttributes_t which, std::int32_t otherwise = 0) const {
    return attribute<std::int32_t>(library_.desc_get, operation_, which, otherwise);
  }
  bool flag(cublasLtMatmulDescAttributes_t which) const {
    return attribute<std::int8_t>(library_.desc_get, operation_, which, 0) != 0;
  }
  /// Of pointers and of distances.
  bool is_set(cublasLtMatmulDescAttributes_t which) const {
    return attribute<std::uint64_t>(library_.desc_get, operation_, which, 0) != 0;
  }

  /// What no problem of gemmtune's has.
  bool has_more() const {
    constexpr std::array addresses{CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE,
                                   CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER,
                                   CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE,
                                   CUBLASLT_MATMUL_DESC_C_SCALE_POINTER,
                                   CUBLASLT_MATMUL_DESC_D_SCALE_POINTER,
                                   CUBLASLT_MATMUL_DESC_AMAX_D_POINTER,
                                   CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER,
                                   CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER,
                                   CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER,
                                   later_pointer};
    const bool has_address = std::ranges::any_of(addresses, [this](auto which) { return is_set(which); });
    const bool has_mode = number(CUBLASLT_MATMUL_DESC_POINTER_MODE) != CUBLASLT_POINTER_MODE_HOST ||
                          number(CUBLASLT_MATMUL_DESC_TRANSC) != CUBLAS_OP_N ||
                          number(CUBLASLT_MATMUL_DESC_FILL_MODE, CUBLAS_FILL_MODE_FULL) != CUBLAS_FILL_MODE_FULL ||
                          number(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET) != 0;
    return has_address || has_mode;
  }

 private:
  /// CUBLASLT_MATMUL_DESC_EMULATION_DESCRIPTOR, which headers before CUDA 13 do not name.
  static constexpr auto later_pointer = static_cast<cublasLtMatmulDescAttributes_t>(38);

  const cublaslt::Library& library_;
  cublasLtMatmulDesc_t operation_;
};

class MatrixReader {
 public:
  MatrixReader(const cublaslt::Library& library, cublasLtMatrixLayout_t layout) : library_(library), layout_(layout) {}

  CallMatrix read() const {
    return {.type = number(CUBLASLT_MATRIX_LAYOUT_TYPE),
            .order = number(CUBLASLT_MATRIX_LAYOUT_ORDER),
            .rows = size(CUBLASLT_MATRIX_LAYOUT_ROWS),
            .columns = size(CUBLASLT_MATRIX_LAYOUT_COLS),
            .leading_dimension = size(CUBLASLT_MATRIX_LAYOUT_LD),
            .batch = number(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT),
            .batch_stride = size(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET)};
  }

  /// Complex numbers in two planes, and batches that are given as lists of addresses.
  bool has_more() const { return size(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET) != 0 || number(batch_mode) != 0; }

 private:
  /// CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, which headers before CUDA 12.9 do not name.
  static constexpr auto batch_mode = static_cast<cublasLtMatrixLayoutAttribute_t>(8);

  std::int32_t number(cublasLtMatrixLayoutAttribute_t which) const {
    return attribute<std::int32_t>(library_.layout_get, layout_, which, 0);
  }
  std::int64_t size(cublasLtMatrixLayoutAttribute_t which) const {
    return attribute<std::int64_t>(library_.layout_get, layout_, which, 0);
  }

  const cublaslt::Library& library_;
  cublasLtMatrixLayout_t layout_;
};

}  // namespace

LibraryCall read_call(const cublaslt::Library& library, const Descriptors& descriptors) {
  const OperationReader operation(library, descriptors.operation);
  const MatrixReader a(library, descriptors.a), b(library, descriptors.b), c(library, descriptors.c),
      d(library, descriptors.d);
  return {.compute = operation.number(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE),
          .scale_type = operation.number(CUBLASLT_MATMUL_DESC_SCALE_TYPE),
          .a_operation = operation.number(CUBLASLT_MATMUL_DESC_TRANSA),
          .b_operation = operation.number(CUBLASLT_MATMUL_DESC_TRANSB),
          .epilogue = static_cast<std::uint32_t>(operation.number(CUBLASLT_MATMUL_DESC_EPILOGUE)),
          .bias_type = operation.number(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, -1),
          .fast_accumulation = operation.flag(CUBLASLT_MATMUL_DESC_FAST_ACCUM),
          .has_a_scale = operation.is_set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER),
          .has_b_scale = operation.is_set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER),
          .a_scale_mode = operation.number(CUBLASLT_MATMUL_DESC_A_SCALE_MODE),
          .b_scale_mode = operation.number(CUBLASLT_MATMUL_DESC_B_SCALE_MODE),
          .is_unusual = operation.has_more() || a.has_more() || b.has_more() || c.has_more() || d.has_more(),
          .a = a.read(),
          .b = b.read(),
          .c = c.read(),
          .d = d.read()};
}

std::optional<Limits> read_limits(const cublaslt::Library& library, cublasLtMatmulPreference_t preference) {
  const auto get = [&](cublasLtMatmulPreferenceAttributes_t which, auto otherwise) {
    return attribute(library.preference_get, preference, which, otherwise);
  };
  const auto mode = get(CUBLASLT_MATMUL_PREF_SEARCH_MODE, std::uint32_t{CUBLASLT_SEARCH_BEST_FIT});
  const auto waves = get(CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT, 0.0F);
  if (mode != CUBLASLT_SEARCH_BEST_FIT || waves != 0) return std::nullopt;
  std::uint32_t alignment = 256;
  for (const auto which : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                           CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
    alignment = std::min(alignment, get(which, std::uint32_t{256}));
  return Limits{
      .workspace_bytes = get(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{0}),
      .reductions = get(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, std::uint32_t{CUBLASLT_REDUCTION_SCHEME_MASK}),
      .arithmetic = get(CUBLASLT_MATMUL_PREF_IMPL_MASK, ~std::uint64_t{0}),
      .alignment = alignment};
}

}  // namespace gemmtune::preload
