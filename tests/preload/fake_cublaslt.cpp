// A library with the symbols of cuBLASLt that multiplies nothing. It keeps descriptors as the real one does, with bytes
// that it does not set, and says on stdout what it was asked to run. Its version is 13.1.0.
//   FAKE_QUIET=1      says nothing, for the benchmark
//   FAKE_REFUSES=66   launches of this algorithm fail
#include <cublasLt.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

struct Field {
  std::size_t offset{};
  std::size_t size{};
};

/// The fields of each kind of object by attribute. Their gaps are never set.
using Fields = std::map<int, Field>;

const Fields& operation_fields() {
  static const Fields fields{
      {CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, {0, 4}},
      {CUBLASLT_MATMUL_DESC_SCALE_TYPE, {4, 4}},
      {CUBLASLT_MATMUL_DESC_POINTER_MODE, {8, 4}},
      {CUBLASLT_MATMUL_DESC_TRANSA, {12, 4}},
      {CUBLASLT_MATMUL_DESC_TRANSB, {16, 4}},
      {CUBLASLT_MATMUL_DESC_TRANSC, {20, 4}},
      {CUBLASLT_MATMUL_DESC_FILL_MODE, {24, 4}},
      {CUBLASLT_MATMUL_DESC_EPILOGUE, {28, 4}},
      {CUBLASLT_MATMUL_DESC_BIAS_POINTER, {32, 8}},
      {CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, {40, 8}},
      {CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, {48, 8}},
      {CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE, {56, 8}},
      {CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, {64, 4}},
      {CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, {72, 8}},
      {CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, {80, 8}},
      {CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, {88, 8}},
      {CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, {96, 8}},
      {CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, {104, 8}},
      {CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER, {112, 8}},
      {CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER, {120, 8}},
      {CUBLASLT_MATMUL_DESC_FAST_ACCUM, {128, 1}},
      {CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, {132, 4}},
      {CUBLASLT_MATMUL_DESC_A_SCALE_MODE, {136, 4}},
      {CUBLASLT_MATMUL_DESC_B_SCALE_MODE, {140, 4}},
      {CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER, {144, 8}},
  };
  return fields;
}

const Fields& layout_fields() {
  static const Fields fields{
      {CUBLASLT_MATRIX_LAYOUT_TYPE, {0, 4}},          {CUBLASLT_MATRIX_LAYOUT_ORDER, {4, 4}},
      {CUBLASLT_MATRIX_LAYOUT_ROWS, {8, 8}},          {CUBLASLT_MATRIX_LAYOUT_COLS, {16, 8}},
      {CUBLASLT_MATRIX_LAYOUT_LD, {24, 8}},           {CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, {32, 4}},
      {CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, {40, 8}}, {CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, {48, 8}},
  };
  return fields;
}

const Fields& preference_fields() {
  static const Fields fields{
      {CUBLASLT_MATMUL_PREF_SEARCH_MODE, {0, 4}},
      {CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, {4, 4}},
      {CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, {8, 8}},
      {CUBLASLT_MATMUL_PREF_IMPL_MASK, {16, 8}},
      {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, {24, 4}},
      {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, {28, 4}},
      {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, {32, 4}},
      {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, {36, 4}},
      {CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT, {40, 4}},
  };
  return fields;
}

const Fields& algo_fields() {
  static const Fields fields{
      {CUBLASLT_ALGO_CONFIG_ID, {0, 4}},
      {CUBLASLT_ALGO_CONFIG_TILE_ID, {4, 4}},
      {CUBLASLT_ALGO_CONFIG_SPLITK_NUM, {8, 4}},
      {CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, {12, 4}},
      {CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, {16, 4}},
      {CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, {20, 4}},
      {CUBLASLT_ALGO_CONFIG_STAGES_ID, {24, 4}},
      {CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, {28, 2}},
      {CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, {30, 2}},
  };
  return fields;
}

template <typename Object>
cublasStatus_t set(const Fields& fields, Object* object, int attribute, const void* value, std::size_t size) {
  const auto field = fields.find(attribute);
  if (field == fields.end() || field->second.size != size) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(reinterpret_cast<char*>(object->data) + field->second.offset, value, size);
  return CUBLAS_STATUS_SUCCESS;
}

template <typename Object>
cublasStatus_t get(const Fields& fields, const Object* object, int attribute, void* value, std::size_t size,
                   std::size_t* written) {
  const auto field = fields.find(attribute);
  if (field == fields.end() || size < field->second.size) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(value, reinterpret_cast<const char*>(object->data) + field->second.offset, field->second.size);
  if (written != nullptr) *written = field->second.size;
  return CUBLAS_STATUS_SUCCESS;
}

template <typename Value, typename Object>
Value value_of(const Fields& fields, const Object* object, int attribute) {
  Value value{};
  get(fields, object, attribute, &value, sizeof value, nullptr);
  return value;
}

template <typename Object>
void clear(const Fields& fields, Object* object) {
  const std::array<char, 8> zeros{};
  for (const auto& [attribute, field] : fields) set(fields, object, attribute, zeros.data(), field.size);
}

/// As memory is after other use.
template <typename Object>
Object* dirty() {
  static int last = 1;
  auto* object = new Object;
  std::memset(object, last = last * 73 % 251, sizeof *object);
  return object;
}

bool is_quiet() {
  static const bool quiet = std::getenv("FAKE_QUIET") != nullptr;
  return quiet;
}

int refused_id() {
  static const char* text = std::getenv("FAKE_REFUSES");
  static const int id = text == nullptr ? -1 : std::atoi(text);
  return id;
}

std::string text_of(const cublasLtMatmulAlgo_t* algo) {
  if (algo == nullptr) return "none";
  const auto number = [&](int attribute) { return std::to_string(value_of<int>(algo_fields(), algo, attribute)); };
  return number(CUBLASLT_ALGO_CONFIG_ID) + "/" + number(CUBLASLT_ALGO_CONFIG_SPLITK_NUM);
}

std::uint64_t workspace_of(const cublasLtMatmulAlgo_t* algo) {
  return value_of<int>(algo_fields(), algo, CUBLASLT_ALGO_CONFIG_SPLITK_NUM) > 1 ? std::uint64_t{1} << 20 : 0;
}

cublasLtMatmulAlgo_t plain_algo(int id) {
  cublasLtMatmulAlgo_t algo;
  std::memset(&algo, 0, sizeof algo);
  const int one = 1;
  set(algo_fields(), &algo, CUBLASLT_ALGO_CONFIG_ID, &id, sizeof id);
  set(algo_fields(), &algo, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &one, sizeof one);
  return algo;
}

bool is_supported(cublasLtMatrixLayout_t matrix) {
  return value_of<int>(layout_fields(), matrix, CUBLASLT_MATRIX_LAYOUT_TYPE) != CUDA_R_64F;
}

}  // namespace

extern "C" {

size_t cublasLtGetVersion() { return 130100; }
const char* cublasLtGetStatusName(cublasStatus_t status) { return status == CUBLAS_STATUS_SUCCESS ? "ok" : "refused"; }
cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = reinterpret_cast<cublasLtHandle_t>(std::malloc(64));
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  std::free(handle);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t made, size_t size, cublasComputeType_t compute,
                                               cudaDataType_t scale) {
  if (size < sizeof *made) return CUBLAS_STATUS_ALLOC_FAILED;
  clear(operation_fields(), made);
  const int full = CUBLAS_FILL_MODE_FULL, epilogue = CUBLASLT_EPILOGUE_DEFAULT, own = -1;
  set(operation_fields(), made, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, &compute, 4);
  set(operation_fields(), made, CUBLASLT_MATMUL_DESC_SCALE_TYPE, &scale, 4);
  set(operation_fields(), made, CUBLASLT_MATMUL_DESC_FILL_MODE, &full, 4);
  set(operation_fields(), made, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, 4);
  set(operation_fields(), made, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, &own, 4);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t compute, cudaDataType_t scale) {
  *made = dirty<cublasLtMatmulDescOpaque_t>();
  return cublasLtMatmulDescInit_internal(*made, sizeof **made, compute, scale);
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t made) {
  delete made;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t object, cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, size_t size) {
  return set(operation_fields(), object, attribute, value, size);
}
cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t object, cublasLtMatmulDescAttributes_t attribute,
                                              void* value, size_t size, size_t* written) {
  return get(operation_fields(), object, attribute, value, size, written);
}

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t made, size_t size, cudaDataType type,
                                                 uint64_t rows, uint64_t columns, int64_t leading_dimension) {
  if (size < sizeof *made) return CUBLAS_STATUS_ALLOC_FAILED;
  clear(layout_fields(), made);
  const int one = 1;
  set(layout_fields(), made, CUBLASLT_MATRIX_LAYOUT_TYPE, &type, 4);
  set(layout_fields(), made, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, 8);
  set(layout_fields(), made, CUBLASLT_MATRIX_LAYOUT_COLS, &columns, 8);
  set(layout_fields(), made, CUBLASLT_MATRIX_LAYOUT_LD, &leading_dimension, 8);
  set(layout_fields(), made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &one, 4);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t leading_dimension) {
  *made = dirty<cublasLtMatrixLayoutOpaque_t>();
  return cublasLtMatrixLayoutInit_internal(*made, sizeof **made, type, rows, columns, leading_dimension);
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t made) {
  delete made;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t object,
                                                cublasLtMatrixLayoutAttribute_t attribute, const void* value,
                                                size_t size) {
  return set(layout_fields(), object, attribute, value, size);
}
cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t object,
                                                cublasLtMatrixLayoutAttribute_t attribute, void* value, size_t size,
                                                size_t* written) {
  return get(layout_fields(), object, attribute, value, size, written);
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* made) {
  *made = dirty<cublasLtMatmulPreferenceOpaque_t>();
  return cublasLtMatmulPreferenceInit_internal(*made, sizeof **made);
}
cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t made, size_t) {
  clear(preference_fields(), made);
  const unsigned all_reductions = CUBLASLT_REDUCTION_SCHEME_MASK, alignment = 256;
  const std::uint64_t all = ~std::uint64_t{0};
  set(preference_fields(), made, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &all_reductions, 4);
  set(preference_fields(), made, CUBLASLT_MATMUL_PREF_IMPL_MASK, &all, 8);
  for (const int which : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
    set(preference_fields(), made, which, &alignment, 4);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t made) {
  delete made;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t object,
                                                    cublasLtMatmulPreferenceAttributes_t attribute, const void* value,
                                                    size_t size) {
  return set(preference_fields(), object, attribute, value, size);
}
cublasStatus_t cublasLtMatmulPreferenceGetAttribute(cublasLtMatmulPreference_t object,
                                                    cublasLtMatmulPreferenceAttributes_t attribute, void* value,
                                                    size_t size, size_t* written) {
  return get(preference_fields(), object, attribute, value, size, written);
}

cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t, cublasComputeType_t, cudaDataType_t, cudaDataType_t,
                                        cudaDataType_t, cudaDataType_t, cudaDataType_t, int, int ids[], int* count) {
  ids[0] = 1;
  *count = 1;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t, cublasComputeType_t, cudaDataType_t, cudaDataType_t,
                                      cudaDataType_t, cudaDataType_t, cudaDataType_t, int id,
                                      cublasLtMatmulAlgo_t* algo) {
  *algo = plain_algo(id);
  return id == 404 ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoConfigSetAttribute(cublasLtMatmulAlgo_t* algo,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute, const void* value,
                                                    size_t size) {
  return set(algo_fields(), algo, attribute, value, size);
}
cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t* algo,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute, void* value,
                                                    size_t size, size_t* written) {
  return get(algo_fields(), algo, attribute, value, size, written);
}
/// All matrices must be aligned to 32 bytes.
cublasStatus_t cublasLtMatmulAlgoCapGetAttribute(const cublasLtMatmulAlgo_t*,
                                                 cublasLtMatmulAlgoCapAttributes_t attribute, void* value, size_t size,
                                                 size_t* written) {
  constexpr std::array aligned{CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_A_BYTES, CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_B_BYTES,
                               CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_C_BYTES, CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_D_BYTES};
  const std::uint64_t answer = std::ranges::find(aligned, attribute) != aligned.end() ? 32 : 1;
  std::memcpy(value, &answer, std::min(size, sizeof answer));
  *written = size;
  return CUBLAS_STATUS_SUCCESS;
}
/// Turns algorithm 405 down.
cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t a,
                                       cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                       const cublasLtMatmulAlgo_t* algo, cublasLtMatmulHeuristicResult_t* result) {
  const int id = value_of<int>(algo_fields(), algo, CUBLASLT_ALGO_CONFIG_ID);
  *result = {};
  result->algo = *algo;
  result->workspaceSize = workspace_of(algo);
  result->state = CUBLAS_STATUS_SUCCESS;
  return id == 405 || !is_supported(a) ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS;
}
/// Ranks the algorithms 1, 2, 3, …
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t a,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatmulPreference_t, int requested,
                                              cublasLtMatmulHeuristicResult_t results[], int* count) {
  *count = 0;
  if (!is_supported(a)) return CUBLAS_STATUS_NOT_SUPPORTED;
  for (; *count < std::min(requested, 3); ++*count) {
    results[*count] = {};
    results[*count].algo = plain_algo(*count + 1);
    results[*count].state = CUBLAS_STATUS_SUCCESS;
  }
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t, const void* alpha, const void*,
                              cublasLtMatrixLayout_t, const void*, cublasLtMatrixLayout_t, const void* beta,
                              const void*, cublasLtMatrixLayout_t, void*, cublasLtMatrixLayout_t d,
                              const cublasLtMatmulAlgo_t* algo, void*, size_t workspace_bytes, cudaStream_t stream) {
  if (is_quiet()) return CUBLAS_STATUS_SUCCESS;
  const bool refused = algo != nullptr && value_of<int>(algo_fields(), algo, CUBLASLT_ALGO_CONFIG_ID) == refused_id();
  std::printf("library: cublasLtMatmul %lldx%lld algo=%s workspace=%zu factors=%g,%g stream=%zu%s\n",
              value_of<long long>(layout_fields(), d, CUBLASLT_MATRIX_LAYOUT_COLS),
              value_of<long long>(layout_fields(), d, CUBLASLT_MATRIX_LAYOUT_ROWS), text_of(algo).c_str(),
              workspace_bytes, alpha == nullptr ? 0 : static_cast<double>(*static_cast<const float*>(alpha)),
              beta == nullptr ? 0 : static_cast<double>(*static_cast<const float*>(beta)),
              reinterpret_cast<std::size_t>(stream), refused ? " refused" : "");
  return refused ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS;
}
}
