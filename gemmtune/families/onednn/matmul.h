// oneDNN's matmul as this family uses it, for both of the library's APIs (2.x and 3.x). It knows the library's types
// and strides; formats with scales are converted beforehand (convert.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "gemmtune/gemm/dtype.h"
#include "gemmtune/gemm/epilogue.h"

namespace gemmtune::onednn {

/// How the library gets the weights: with their own strides, or in the layout that it prefers.
enum class WeightLayout : std::uint8_t { plain, blocked };

/// Distances in elements: from one row to the next, from one column to the next, from one matrix of the batch to the
/// next.
struct MatrixStrides {
  std::int64_t row{};
  std::int64_t column{};
  std::int64_t batch{};
};

/// product [M, N] = activation(A [M, K] · weights [K, N] + bias + residual).
struct MatmulSpec {
  std::int64_t batch{1};
  std::int64_t m{};
  std::int64_t n{};
  std::int64_t k{};
  MatrixStrides a_strides{};
  MatrixStrides w_strides{};        // only for plain weights
  MatrixStrides product_strides{};  // also of the residual
  DType operand{};                  // f32, bf16, f16 or i8
  DType product{};                  // f32, bf16, f16 or i32
  Epilogue epilogue{};              // bias and residual are of the product's type
  WeightLayout weights{WeightLayout::plain};
  int threads{1};          // threads of the product
  int reorder_threads{1};  // threads of reorder_weights()
};

struct MatmulAddresses {
  const std::byte* a{};
  const std::byte* w{};  // in the layout of the spec
  const std::byte* bias{};
  const std::byte* residual{};
  std::byte* product{};
  std::byte* scratchpad{};
};

/// Any number of threads may call one object, each with a scratchpad of its own.
class Matmul {
 public:
  /// Compiles the kernel. Throws Error{unsupported} with the library's reason.
  explicit Matmul(const MatmulSpec& spec);
  ~Matmul();
  Matmul(Matmul&&) noexcept;
  Matmul& operator=(Matmul&&) noexcept;

  std::size_t scratchpad_bytes() const;

  /// Bytes of all weights in the layout of the spec.
  std::size_t weight_bytes() const;

  /// Converts plain weights to the layout of the spec. Throws Error{unsupported} with the library's reason.
  void reorder_weights(const std::byte* from, std::byte* to, std::byte* scratchpad);

  /// Throws Error{unsupported} with the library's reason.
  void run(const MatmulAddresses& at);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The library's reason why it cannot do this, or why it cannot reorder the weights, or "". Compiles nothing.
std::string why_not(const MatmulSpec& spec);

/// The library's version and threading: "2.6.3 (omp)".
std::string library_version();

}  // namespace gemmtune::onednn
