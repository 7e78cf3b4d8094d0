// Descriptors of the real library, as programs make them. Skipped where cuBLASLt is not installed; no GPU is needed.
#include "gemmtune/preload/call_bytes.h"

#include <gtest/gtest.h>

#include <cstring>

namespace gemmtune::preload {
namespace {

/// The descriptors of one product, in memory that had other contents.
class Made {
 public:
  Made(const cublaslt::Library& library, int contents) : library_(library) {
    std::memset(&operation_, contents, sizeof operation_);
    library.desc_init(&operation_, sizeof operation_, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    set(CUBLASLT_MATMUL_DESC_TRANSA, std::int32_t{CUBLAS_OP_T});
    for (auto* layout : {&a_, &b_, &d_}) {
      std::memset(layout, contents, sizeof *layout);
      library.layout_init(layout, sizeof *layout, CUDA_R_16BF, 64, 64, 64);
    }
  }

  template <typename Value>
  void set(cublasLtMatmulDescAttributes_t attribute, Value value) {
    ASSERT_EQ(library_.desc_set(&operation_, attribute, &value, sizeof value), CUBLAS_STATUS_SUCCESS) << attribute;
  }
  template <typename Value>
  void set_a(cublasLtMatrixLayoutAttribute_t attribute, Value value) {
    ASSERT_EQ(library_.layout_set(&a_, attribute, &value, sizeof value), CUBLAS_STATUS_SUCCESS) << attribute;
  }

  Descriptors descriptors() { return {&operation_, &a_, &b_, &d_, &d_}; }

 private:
  const cublaslt::Library& library_;
  cublasLtMatmulDescOpaque_t operation_;
  cublasLtMatrixLayoutOpaque_t a_;
  cublasLtMatrixLayoutOpaque_t b_;
  cublasLtMatrixLayoutOpaque_t d_;
};

class CallBytesOfTheLibrary : public testing::Test {
 protected:
  void SetUp() override {
    library = cublaslt::Library::open();
    if (!library) GTEST_SKIP() << cublaslt::Library::why_not();
    bytes.emplace(*library);
    ASSERT_TRUE(bytes->is_known());
  }

  CallKey key_of(Made& made, std::uintptr_t handle = 1) {
    CallKey key;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): nothing is read there
    const auto on = reinterpret_cast<cublasLtHandle_t>(handle);
    bytes->read(on, made.descriptors(), key);
    EXPECT_EQ(key.hash, bytes->hash(on, made.descriptors()));
    EXPECT_TRUE(bytes->is_of(key, on, made.descriptors()));
    return key;
  }

  template <typename Change>
  bool tells_apart(const Change& change) {
    Made plain(*library, 0), changed(*library, 0);
    change(changed);
    const bool keys_differ = !(key_of(plain) == key_of(changed));
    // NOLINTNEXTLINE(performance-no-int-to-ptr): nothing is read there
    EXPECT_FALSE(bytes->is_of(key_of(plain), reinterpret_cast<cublasLtHandle_t>(1), changed.descriptors()));
    EXPECT_NE(key_of(plain).hash, key_of(changed).hash);
    EXPECT_NE(read_call(*library, plain.descriptors()), read_call(*library, changed.descriptors()));
    return keys_differ;
  }

  std::shared_ptr<const cublaslt::Library> library;
  std::optional<CallBytes> bytes;
};

TEST_F(CallBytesOfTheLibrary, EqualCallsInDirtyMemoryHaveEqualKeys) {
  Made zeros(*library, 0), ones(*library, 0xff), others(*library, 0x5a);
  EXPECT_EQ(key_of(zeros), key_of(ones));
  EXPECT_EQ(key_of(zeros), key_of(others));
  EXPECT_FALSE(key_of(zeros) == key_of(zeros, 2));  // another handle
  EXPECT_EQ(read_call(*library, ones.descriptors()), read_call(*library, zeros.descriptors()));
}

/// Everything that a call reads from descriptors changes its key too.
TEST_F(CallBytesOfTheLibrary, KeysTellAllAttributesApart) {
  void* const address = &bytes;
  EXPECT_TRUE(tells_apart([](Made& m) { m.set(CUBLASLT_MATMUL_DESC_TRANSA, std::int32_t{CUBLAS_OP_N}); }));
  EXPECT_TRUE(tells_apart([](Made& m) { m.set(CUBLASLT_MATMUL_DESC_TRANSB, std::int32_t{CUBLAS_OP_T}); }));
  EXPECT_TRUE(
      tells_apart([](Made& m) { m.set(CUBLASLT_MATMUL_DESC_EPILOGUE, std::uint32_t{CUBLASLT_EPILOGUE_RELU}); }));
  EXPECT_TRUE(tells_apart([](Made& m) { m.set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t{1}); }));
  EXPECT_TRUE(tells_apart([](Made& m) { m.set(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, std::int32_t{64}); }));
  EXPECT_TRUE(tells_apart([](Made& m) { m.set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, std::int32_t{CUDA_R_32F}); }));
  EXPECT_TRUE(tells_apart(
      [](Made& m) { m.set(CUBLASLT_MATMUL_DESC_POINTER_MODE, std::int32_t{CUBLASLT_POINTER_MODE_DEVICE}); }));
  EXPECT_TRUE(tells_apart([](Made& m) {
    m.set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, std::int32_t{CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F});
  }));
  for (const auto pointer : {CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER,
                             CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, CUBLASLT_MATMUL_DESC_AMAX_D_POINTER,
                             CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER})
    EXPECT_TRUE(tells_apart([&](Made& m) { m.set(pointer, address); })) << pointer;
  EXPECT_TRUE(tells_apart([](Made& m) { m.set_a(CUBLASLT_MATRIX_LAYOUT_TYPE, std::int32_t{CUDA_R_16F}); }));
  EXPECT_TRUE(tells_apart([](Made& m) { m.set_a(CUBLASLT_MATRIX_LAYOUT_ORDER, std::int32_t{CUBLASLT_ORDER_ROW}); }));
  EXPECT_TRUE(tells_apart([](Made& m) { m.set_a(CUBLASLT_MATRIX_LAYOUT_ROWS, std::uint64_t{32}); }));
  EXPECT_TRUE(tells_apart([](Made& m) { m.set_a(CUBLASLT_MATRIX_LAYOUT_LD, std::int64_t{128}); }));
  EXPECT_TRUE(tells_apart([](Made& m) { m.set_a(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, std::int32_t{2}); }));
  EXPECT_TRUE(tells_apart([](Made& m) { m.set_a(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, std::int64_t{4096}); }));
}

/// The address of a bias is in the key, but makes no other call.
TEST_F(CallBytesOfTheLibrary, TheAddressOfABiasIsNoPartOfTheCall) {
  Made one(*library, 0), other(*library, 0);
  for (auto* made : {&one, &other}) made->set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<void*>(made));
  EXPECT_FALSE(key_of(one) == key_of(other));
  EXPECT_EQ(read_call(*library, one.descriptors()), read_call(*library, other.descriptors()));
}

TEST_F(CallBytesOfTheLibrary, LimitsArePreferences) {
  cublasLtMatmulPreference_t preference{};
  ASSERT_EQ(library->preference_create(&preference), CUBLAS_STATUS_SUCCESS);
  const auto set = [&](cublasLtMatmulPreferenceAttributes_t which, auto value) {
    ASSERT_EQ(library->preference_set(preference, which, &value, sizeof value), CUBLAS_STATUS_SUCCESS) << which;
  };
  auto limits = read_limits(*library, preference);
  ASSERT_TRUE(limits);
  EXPECT_EQ(limits->workspace_bytes, 0U);
  EXPECT_EQ(limits->alignment, 256U);
  set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{1} << 20);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, std::uint32_t{16});
  set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, std::uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
  limits = read_limits(*library, preference);
  ASSERT_TRUE(limits);
  EXPECT_EQ(limits->workspace_bytes, std::uint64_t{1} << 20);
  EXPECT_EQ(limits->alignment, 16U);
  EXPECT_EQ(limits->reductions, std::uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
  set(CUBLASLT_MATMUL_PREF_SEARCH_MODE, std::uint32_t{CUBLASLT_SEARCH_LIMITED_BY_ALGO_ID});
  EXPECT_FALSE(read_limits(*library, preference));
  library->preference_destroy(preference);
}

}  // namespace
}  // namespace gemmtune::preload
