#include "gemmtune/families/onednn/prepared_matmul.h"

#include <exception>
#include <memory>

#include "gemmtune/families/onednn/convert.h"
#include "gemmtune/families/onednn/matmul.h"

namespace gemmtune::onednn {
namespace {

/// The same rows without gaps, as conversions and unfinished products have them.
StoredMatrix without_gaps(StoredMatrix matrix) {
  matrix.leading_dimension = matrix.cols;
  matrix.batch_stride = matrix.rows * matrix.cols;
  return matrix;
}

/// Strides of a matrix whose stored rows are its rows, and of a matrix whose stored rows are its columns.
MatrixStrides by_rows(const StoredMatrix& m) { return {m.leading_dimension, 1, m.batch_stride}; }
MatrixStrides by_columns(const StoredMatrix& m) { return {1, m.leading_dimension, m.batch_stride}; }

MatrixStrides a_strides(const Choice& choice) {
  const StoredMatrix stored = stored_a(choice.problem);
  const StoredMatrix a = choice.arithmetic.converts_a ? without_gaps(stored) : stored;
  return choice.problem.layout.a == Major::k ? by_rows(a) : by_columns(a);
}

/// The strides of the weights, which for the library are [K, N].
MatrixStrides w_strides(const Choice& choice) {
  const StoredMatrix stored = stored_w(choice.problem);
  const StoredMatrix w = choice.arithmetic.converts_w ? without_gaps(stored) : stored;
  return choice.problem.layout.w == Major::k ? by_columns(w) : by_rows(w);
}

MatmulSpec matmul_spec(const Choice& choice) {
  const Problem& p = choice.problem;
  const Arithmetic& arithmetic = choice.arithmetic;
  const bool finishes = arithmetic.finishes(p);
  return {.batch = p.batch,
          .m = p.m,
          .n = p.n,
          .k = p.k,
          .a_strides = a_strides(choice),
          .w_strides = w_strides(choice),
          .product_strides = by_rows(finishes ? without_gaps(stored_c(p)) : stored_c(p)),
          .operand = arithmetic.operand,
          .product = arithmetic.product,
          .epilogue = finishes ? Epilogue{} : p.epilogue,
          .weights = choice.weights == WeightUse::plain ? WeightLayout::plain : WeightLayout::blocked,
          .threads = choice.threads,
          .reorder_threads = choice.weights == WeightUse::reordered ? choice.threads : choice.packing_threads};
}

/// A piece of the workspace: its bytes and its offset.
struct Piece {
  std::size_t offset{};
  std::size_t bytes{};

  std::byte* in(std::byte* workspace) const { return workspace + offset; }
};

class Workspace {
 public:
  Piece add(std::size_t bytes) {
    const Piece piece{bytes_, bytes};
    bytes_ += (bytes + 255) / 256 * 256;
    return piece;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_{};
};

class PreparedMatmul final : public PreparedGemm {
 public:
  explicit PreparedMatmul(const Choice& choice) : choice_(choice), matmul_(matmul_spec(choice)) {
    const Problem& p = choice.problem;
    const Arithmetic& arithmetic = choice.arithmetic;
    const bool packs = packed_weight_bytes() > 0;
    scratchpad_ = workspace_.add(matmul_.scratchpad_bytes());
    if (arithmetic.converts_a) a_ = workspace_.add(bytes(arithmetic.operand, p.batch * p.m * p.k));
    if (arithmetic.converts_w && !packs) w_ = workspace_.add(plain_weight_bytes());
    if (choice.weights == WeightUse::reordered) reordered_ = workspace_.add(matmul_.weight_bytes());
    if (arithmetic.finishes(p)) product_ = workspace_.add(bytes(arithmetic.product, p.batch * p.m * p.n));
  }

  std::size_t packed_weight_bytes() const override {
    if (!choice_.problem.packed) return 0;
    if (choice_.weights == WeightUse::blocked) return matmul_.weight_bytes();
    return choice_.arithmetic.converts_w ? plain_weight_bytes() : 0;
  }

  std::size_t workspace_bytes() const override { return workspace_.bytes(); }

  void pack_weights(const Operands& operands, std::byte* packed, Stream&) override {
    const int threads = choice_.packing_threads;
    if (choice_.weights != WeightUse::blocked) return convert_weights(operands, packed, threads);
    // Packing may allocate, because it is not part of a launch.
    const auto scratchpad = std::make_unique_for_overwrite<std::byte[]>(matmul_.scratchpad_bytes());
    std::unique_ptr<std::byte[]> converted;
    if (choice_.arithmetic.converts_w) {
      converted = std::make_unique_for_overwrite<std::byte[]>(plain_weight_bytes());
      convert_weights(operands, converted.get(), threads);
    }
    matmul_.reorder_weights(converted ? converted.get() : operands.w, packed, scratchpad.get());
  }

  void launch(const Operands& operands, Stream& stream) noexcept override {
    try {
      run(operands);
    } catch (const std::exception& error) {
      stream.report_failure(error.what());
    }
  }

 private:
  static std::size_t bytes(DType type, std::int64_t count) {
    return static_cast<std::size_t>(storage_bytes(type, count));
  }

  /// Bytes of the converted weights without gaps.
  std::size_t plain_weight_bytes() const {
    const Problem& p = choice_.problem;
    return bytes(choice_.arithmetic.operand, p.batch * p.n * p.k);
  }

  ScaleUse scales_of_operands() const {
    return choice_.arithmetic.scales_in_product ? ScaleUse::leave : ScaleUse::multiply;
  }

  /// E8M0 scales are multiplied into the values even if the other side's scales are applied to the product.
  Conversion conversion(const StoredOperand& from) const {
    return {.from = from,
            .to = choice_.arithmetic.operand,
            .scales = from.side.scaling == Scaling::mx_1x32 ? ScaleUse::multiply : scales_of_operands(),
            .threads = choice_.threads};
  }

  void convert_weights(const Operands& operands, std::byte* to, int threads) const {
    const Problem& p = choice_.problem;
    auto weights = conversion({.side = p.w, .matrix = stored_w(p), .major = p.layout.w});
    weights.threads = threads;
    convert_operand(weights, operands.w, operands.w_scale, to);
  }

  const std::byte* activations(const Operands& operands) const {
    if (!choice_.arithmetic.converts_a) return operands.a;
    const Problem& p = choice_.problem;
    std::byte* converted = a_.in(operands.workspace);
    convert_operand(conversion({.side = p.a, .matrix = stored_a(p), .major = p.layout.a}), operands.a, operands.a_scale,
                    converted);
    return converted;
  }

  const std::byte* weights(const Operands& operands) {
    if (packed_weight_bytes() > 0) return operands.packed_w;
    const std::byte* plain = operands.w;
    if (choice_.arithmetic.converts_w) {
      convert_weights(operands, w_.in(operands.workspace), choice_.threads);
      plain = w_.in(operands.workspace);
    }
    if (choice_.weights != WeightUse::reordered) return plain;
    std::byte* reordered = reordered_.in(operands.workspace);
    matmul_.reorder_weights(plain, reordered, scratchpad_.in(operands.workspace));
    return reordered;
  }

  void run(const Operands& operands) {
    const bool finishes = choice_.arithmetic.finishes(choice_.problem);
    std::byte* product = finishes ? product_.in(operands.workspace) : operands.c;
    matmul_.run({.a = activations(operands),
                 .w = weights(operands),
                 .bias = operands.bias,
                 .residual = operands.residual,
                 .product = product,
                 .scratchpad = scratchpad_.in(operands.workspace)});
    if (!finishes) return;
    finish_product({.problem = choice_.problem,
                    .product = choice_.arithmetic.product,
                    .scales = choice_.arithmetic.scales_in_product ? ScaleUse::multiply : ScaleUse::leave,
                    .threads = choice_.threads},
                   product, operands);
  }

  Choice choice_;
  Matmul matmul_;
  Workspace workspace_;
  Piece scratchpad_;
  Piece a_;
  Piece w_;
  Piece reordered_;
  Piece product_;
};

}  // namespace

std::unique_ptr<PreparedGemm> prepare_matmul(const Choice& choice) { return std::make_unique<PreparedMatmul>(choice); }

std::string why_not_matmul(const Choice& choice) { return why_not(matmul_spec(choice)); }

}  // namespace gemmtune::onednn
