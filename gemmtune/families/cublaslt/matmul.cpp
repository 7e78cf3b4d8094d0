#include "gemmtune/families/cublaslt/matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/families/cublaslt/vendor_types.h"

namespace gemmtune::cublaslt {
namespace {

constexpr std::size_t most_ids = 512;

// Flags of algorithms that round operands to a smaller type.
constexpr cublasLtNumericalImplFlags_t narrowed_tf32 =
    CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_16BF | CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_16F;
constexpr cublasLtNumericalImplFlags_t narrowed_f32 = narrowed_tf32 | CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_TF32;

cublasLtNumericalImplFlags_t narrowed(DType operand) {
  if (operand == DType::f32) return narrowed_f32;
  return operand == DType::tf32 ? narrowed_tf32 : 0;
}

/// An address for questions whose answers depend only on its alignment. Nothing is read there.
const std::byte* aligned_address() { return reinterpret_cast<const std::byte*>(std::uintptr_t{4096}); }

template <typename Value>
bool set_in(const Library& library, cublasLtMatmulAlgo_t& algo, cublasLtMatmulAlgoConfigAttributes_t attribute,
            Value value) {
  return library.algo_set(&algo, attribute, &value, sizeof value) == CUBLAS_STATUS_SUCCESS;
}

/// The value of the setting, or `otherwise` for algorithms that do not have it.
template <typename Value>
Value get_from(const Library& library, const cublasLtMatmulAlgo_t& algo, cublasLtMatmulAlgoConfigAttributes_t attribute,
               Value otherwise) {
  Value value{};
  std::size_t written{};
  const auto status = library.algo_get(&algo, attribute, &value, sizeof value, &written);
  return status == CUBLAS_STATUS_SUCCESS ? value : otherwise;
}

template <typename Value>
Value capability(const Library& library, const cublasLtMatmulAlgo_t& algo,
                 cublasLtMatmulAlgoCapAttributes_t attribute) {
  Value value{};
  std::size_t written{};
  const auto status = library.algo_capability(&algo, attribute, &value, sizeof value, &written);
  return status == CUBLAS_STATUS_SUCCESS ? value : Value{};
}

std::vector<unsigned> listed(const Library& library, const cublasLtMatmulAlgo_t& algo,
                             cublasLtMatmulAlgoCapAttributes_t attribute) {
  std::size_t bytes{};
  if (library.algo_capability(&algo, attribute, nullptr, 0, &bytes) != CUBLAS_STATUS_SUCCESS) return {};
  std::vector<unsigned> numbers(bytes / sizeof(unsigned));
  if (numbers.empty()) return {};
  const auto status = library.algo_capability(&algo, attribute, numbers.data(), bytes, &bytes);
  return status == CUBLAS_STATUS_SUCCESS ? numbers : std::vector<unsigned>{};
}

}  // namespace

Matmul::Matmul(std::shared_ptr<const Session> session, const MatmulSpec& spec)
    : operation_(nullptr, nullptr),
      w_(nullptr, nullptr),
      a_(nullptr, nullptr),
      product_(nullptr, nullptr),
      session_(std::move(session)),
      spec_(spec),
      launched_([this] { return create_operation(); },
                launcher().names_addresses ? LaunchSlots<Operation>::usual_count : 0) {
  launcher_ = launcher();
  operation_ = create_operation();
  w_ = create_layout(spec.operand, spec.w);
  a_ = create_layout(spec.operand, spec.a);
  product_ = create_layout(spec.product, spec.d);
}

Matmul::Launcher Matmul::launcher() const {
  static constexpr float zero = 0, one = 1;
  static constexpr std::int32_t integer_zero = 0, integer_one = 1;
  const bool integers = sums_integers(spec_);
  const bool adds = spec_.epilogue.residual;  // integers have no residual
  return {.matmul = library().matmul,
          .handle = session_->handle(),
          .alpha = integers ? static_cast<const void*>(&integer_one) : &one,
          .beta = integers ? static_cast<const void*>(&integer_zero) : (adds ? &one : &zero),
          .adds = adds,
          .names_addresses = spec_.epilogue.bias || spec_.scales != LibraryScales::none};
}

Matmul::Operation Matmul::create_operation() const {
  cublasLtMatmulDesc_t operation{};
  session_->check(library().desc_create(&operation, compute_type(spec_), factor_type(spec_)),
                  "cublasLtMatmulDescCreate");
  Operation owned(operation, library().desc_destroy);
  describe(operation);
  return owned;
}

/// A column-major layout.
Matmul::Layout Matmul::create_layout(DType type, const LibraryMatrix& matrix) const {
  cublasLtMatrixLayout_t made{};
  session_->check(library().layout_create(&made, vendor_type(type), static_cast<std::uint64_t>(matrix.rows),
                                          static_cast<std::uint64_t>(matrix.columns), matrix.leading_dimension),
                  "cublasLtMatrixLayoutCreate");
  Layout layout(made, library().layout_destroy);
  const auto count = static_cast<std::int32_t>(spec_.batch);
  const std::int64_t stride = matrix.batch_stride;
  session_->check(library().layout_set(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count),
                  "a matrix's batch count");
  session_->check(library().layout_set(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride),
                  "a matrix's batch stride");
  return layout;
}

template <typename Value>
cublasStatus_t Matmul::set(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute,
                           Value value) const noexcept {
  return library().desc_set(operation, attribute, &value, sizeof value);
}

template <typename Value>
void Matmul::must_set(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute, Value value) const {
  session_->check(set(operation, attribute, value), "cublasLtMatmulDescSetAttribute");
}

void Matmul::describe(cublasLtMatmulDesc_t operation) const {
  must_set<std::int32_t>(operation, CUBLASLT_MATMUL_DESC_TRANSA, spec_.w_major == Major::k ? CUBLAS_OP_T : CUBLAS_OP_N);
  must_set<std::int32_t>(operation, CUBLASLT_MATMUL_DESC_TRANSB, spec_.a_major == Major::k ? CUBLAS_OP_N : CUBLAS_OP_T);
  must_set<std::uint32_t>(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, library_epilogue(spec_.epilogue));
  if (spec_.epilogue.bias) must_set(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, aligned_address());
  if (spec_.fast_accumulation) must_set<std::int8_t>(operation, CUBLASLT_MATMUL_DESC_FAST_ACCUM, 1);
  if (spec_.scales == LibraryScales::none) return;
  if (spec_.scales !=
      LibraryScales::tensor) {  // tensor scales are the default, and older libraries have no attribute for them
    const auto modes = scale_modes(spec_.scales);
    must_set(operation, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, modes.w);
    must_set(operation, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, modes.a);
  }
  must_set(operation, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, aligned_address());
  must_set(operation, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, aligned_address());
}

std::vector<int> Matmul::ids() const {
  std::vector<int> ids(most_ids);
  int count{};
  const auto operand = vendor_type(spec_.operand);
  const auto product = vendor_type(spec_.product);
  session_->check(library().algo_ids(session_->handle(), compute_type(spec_), factor_type(spec_), operand, operand,
                                     product, product, static_cast<int>(most_ids), ids.data(), &count),
                  "cublasLtMatmulAlgoGetIds");
  ids.resize(static_cast<std::size_t>(count));
  return ids;
}

std::optional<cublasLtMatmulAlgo_t> Matmul::plain_algo(int id) const {
  {
    const std::shared_lock lock(plain_algos_mutex_);
    if (const auto known = plain_algos_.find(id); known != plain_algos_.end()) return known->second;
  }
  const auto made = init(id);
  const std::lock_guard lock(plain_algos_mutex_);
  return plain_algos_.emplace(id, made).first->second;
}

std::optional<cublasLtMatmulAlgo_t> Matmul::init(int id) const {
  session_->lend_context();
  cublasLtMatmulAlgo_t algo{};
  const auto operand = vendor_type(spec_.operand);
  const auto product = vendor_type(spec_.product);
  const auto status = library().algo_init(session_->handle(), compute_type(spec_), factor_type(spec_), operand, operand,
                                          product, product, id, &algo);
  return status == CUBLAS_STATUS_SUCCESS ? std::optional(algo) : std::nullopt;
}

bool Matmul::can_do_this(const cublasLtMatmulAlgo_t& algo) const {
  if (spec_.batch > 1 && capability<std::int32_t>(library(), algo, CUBLASLT_ALGO_CAP_STRIDED_BATCH_SUPPORT) == 0)
    return false;
  const auto epilogue = static_cast<std::uint32_t>(library_epilogue(spec_.epilogue));
  if (epilogue == CUBLASLT_EPILOGUE_DEFAULT) return true;
  const auto epilogues = capability<std::uint32_t>(library(), algo, CUBLASLT_ALGO_CAP_EPILOGUE_MASK);
  return (epilogues & epilogue) == epilogue;
}

bool Matmul::keeps_operands(const cublasLtMatmulAlgo_t& algo) const {
  return (arithmetic_of(algo) & narrowed(spec_.operand)) == 0;
}

std::optional<Capabilities> Matmul::capabilities(int id) const {
  const auto algo = plain_algo(id);
  if (!algo || !can_do_this(*algo) || !keeps_operands(*algo)) return std::nullopt;
  return Capabilities{
      .tiles = listed(library(), *algo, CUBLASLT_ALGO_CAP_TILE_IDS),
      .stages = listed(library(), *algo, CUBLASLT_ALGO_CAP_STAGES_IDS),
      .splits_k = capability<std::int32_t>(library(), *algo, CUBLASLT_ALGO_CAP_SPLITK_SUPPORT) != 0,
      .reductions = capability<std::uint32_t>(library(), *algo, CUBLASLT_ALGO_CAP_REDUCTION_SCHEME_MASK),
      .swizzles = capability<std::uint32_t>(library(), *algo, CUBLASLT_ALGO_CAP_CTA_SWIZZLING_SUPPORT) != 0,
      .custom_max = static_cast<unsigned>(
          std::max(capability<std::int32_t>(library(), *algo, CUBLASLT_ALGO_CAP_CUSTOM_OPTION_MAX), 0))};
}

/// Settings that equal those of the plain algorithm are not set, because old algorithms refuse settings that they do
/// not know.
std::optional<cublasLtMatmulAlgo_t> Matmul::algo_of(const AlgoConfig& config) const {
  auto algo = plain_algo(config.id);
  if (!algo) return std::nullopt;
  const auto given = [&](auto value, decltype(value) plain, cublasLtMatmulAlgoConfigAttributes_t attribute) {
    return value == plain || set_in(library(), *algo, attribute, value);
  };
  const bool takes = given(config.tile, 0, CUBLASLT_ALGO_CONFIG_TILE_ID) &&
                     given(config.stages, 0, CUBLASLT_ALGO_CONFIG_STAGES_ID) &&
                     given(config.split_k, 1, CUBLASLT_ALGO_CONFIG_SPLITK_NUM) &&
                     given(config.reduction, 0, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME) &&
                     given(config.swizzle, 0, CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING) &&
                     given(config.custom, 0, CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION) &&
                     given(static_cast<std::uint16_t>(config.inner), 0, CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID) &&
                     given(static_cast<std::uint16_t>(config.cluster), 0, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID);
  return takes ? algo : std::nullopt;
}

AlgoConfig Matmul::config_of(const cublasLtMatmulAlgo_t& algo) const {
  const auto get = [&](cublasLtMatmulAlgoConfigAttributes_t attribute, auto otherwise) {
    return get_from(library(), algo, attribute, otherwise);
  };
  return {.id = get(CUBLASLT_ALGO_CONFIG_ID, std::int32_t{-1}),
          .tile = get(CUBLASLT_ALGO_CONFIG_TILE_ID, std::uint32_t{0}),
          .stages = get(CUBLASLT_ALGO_CONFIG_STAGES_ID, std::uint32_t{0}),
          .split_k = get(CUBLASLT_ALGO_CONFIG_SPLITK_NUM, std::int32_t{1}),
          .reduction = get(CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, std::uint32_t{0}),
          .swizzle = get(CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, std::uint32_t{0}),
          .custom = get(CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, std::uint32_t{0}),
          .inner = get(CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, std::uint16_t{0}),
          .cluster = get(CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, std::uint16_t{0})};
}

std::optional<Accepted> Matmul::check(const cublasLtMatmulAlgo_t& algo) const {
  session_->lend_context();
  cublasLtMatmulHeuristicResult_t result{};
  const auto status = library().algo_check(session_->handle(), operation_.get(), w_.get(), a_.get(), product_.get(),
                                           product_.get(), &algo, &result);
  if (status != CUBLAS_STATUS_SUCCESS || result.state != CUBLAS_STATUS_SUCCESS) return std::nullopt;
  return Accepted{.workspace_bytes = result.workspaceSize, .waves = static_cast<double>(result.wavesCount)};
}

std::optional<Accepted> Matmul::check(const AlgoConfig& config) const {
  const auto algo = algo_of(config);
  return algo ? check(*algo) : std::nullopt;
}

Matmul::Preference Matmul::create_preference(const RankRequest& request) const {
  cublasLtMatmulPreference_t made{};
  session_->check(library().preference_create(&made), "cublasLtMatmulPreferenceCreate");
  Preference preference(made, library().preference_destroy);
  const auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
    session_->check(library().preference_set(made, attribute, &value, sizeof value),
                    "cublasLtMatmulPreferenceSetAttribute");
  };
  set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, static_cast<std::uint64_t>(request.workspace_bytes));
  for (const auto attribute : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                               CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
    set(attribute, static_cast<std::uint32_t>(spec_.alignment));
  if (request.only_id)
    set(CUBLASLT_MATMUL_PREF_SEARCH_MODE, static_cast<std::uint32_t>(CUBLASLT_SEARCH_LIMITED_BY_ALGO_ID));
  return preference;
}

std::vector<cublasLtMatmulHeuristicResult_t> Matmul::rank(const RankRequest& request) const {
  session_->lend_context();
  const auto preference = create_preference(request);
  cublasLtMatmulHeuristicResult_t empty{};
  if (request.only_id) {
    const auto algo = plain_algo(*request.only_id);
    if (!algo) return {};
    empty.algo = *algo;
  }
  std::vector<cublasLtMatmulHeuristicResult_t> results(request.most, empty);
  int count{};
  session_->check(
      library().algo_heuristic(session_->handle(), operation_.get(), w_.get(), a_.get(), product_.get(), product_.get(),
                               preference.get(), static_cast<int>(request.most), results.data(), &count),
      "cublasLtMatmulAlgoGetHeuristic");
  results.resize(static_cast<std::size_t>(count));
  std::erase_if(results, [](const auto& result) { return result.state != CUBLAS_STATUS_SUCCESS; });
  return results;
}

std::vector<cublasLtMatmulAlgo_t> Matmul::ranked_algos(const RankRequest& request) const {
  std::vector<cublasLtMatmulAlgo_t> algos;
  try {
    for (const auto& result : rank(request))
      if (keeps_operands(result.algo)) algos.push_back(result.algo);
  } catch (const Error&) {
    return {};  // "not supported": there is no ranking for this request
  }
  return algos;
}

std::vector<AlgoConfig> Matmul::ranked(const RankRequest& request) const {
  std::vector<AlgoConfig> configs;
  for (const auto& algo : ranked_algos(request)) configs.push_back(config_of(algo));
  return configs;
}

std::string Matmul::why_not() const {
  try {
    const auto results = rank({.workspace_bytes = std::size_t{32} << 20, .most = 1});
    return results.empty() ? "the library ranks no algorithm for it" : "";
  } catch (const Error& error) {
    return error.what();
  }
}

std::size_t Matmul::alignment_of(const cublasLtMatmulAlgo_t& algo) const {
  std::uint32_t most = 16;
  for (const auto attribute : {CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_A_BYTES, CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_B_BYTES,
                               CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_C_BYTES, CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_D_BYTES})
    most = std::max(most, capability<std::uint32_t>(library(), algo, attribute));
  return most;
}

std::uint64_t Matmul::arithmetic_of(const cublasLtMatmulAlgo_t& algo) const {
  return capability<std::uint64_t>(library(), algo, CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS);
}

void Matmul::name_addresses(cublasLtMatmulDesc_t operation, const Addresses& at) const noexcept {
  if (spec_.epilogue.bias) set(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, at.bias);
  if (spec_.scales == LibraryScales::none) return;
  set(operation, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, at.w_scale);
  set(operation, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, at.a_scale);
}

const char* Matmul::launch(const Addresses& at, const cublasLtMatmulAlgo_t& algo, std::size_t workspace_bytes,
                           cudaStream_t stream) const noexcept {
  const auto& l = launcher_;
  const auto multiply = [&](const Operation& operation) {
    return l.matmul(l.handle, operation.get(), l.alpha, at.w, w_.get(), at.a, a_.get(), l.beta,
                    l.adds ? at.residual : at.product, product_.get(), at.product, product_.get(), &algo, at.workspace,
                    workspace_bytes, stream);
  };
  const auto name_and_multiply = [&](const Operation& operation) {
    name_addresses(operation.get(), at);
    return multiply(operation);
  };
  const auto status = l.names_addresses ? launched_.with(name_and_multiply) : multiply(operation_);
  return status == CUBLAS_STATUS_SUCCESS ? "" : library().status_name(status);
}

}  // namespace gemmtune::cublaslt
