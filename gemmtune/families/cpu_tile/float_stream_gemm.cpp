#include "gemmtune/families/cpu_tile/float_stream_gemm.h"

#include <algorithm>

#include "gemmtune/families/cpu_tile/float_problem.h"
#include "gemmtune/families/cpu_tile/parallel.h"

namespace gemmtune::cpu_tile {
namespace {

constexpr std::int64_t group_columns = 16;  // finished together, because they are whole cache lines of C
constexpr std::int64_t most_rows_streamed = 64;

struct Setup {
  Problem problem{};
  StreamShape shape{};
  std::int64_t padded_rows{};   // rows of A, a multiple of the shape's rows; the added ones are zeros
  std::int64_t padded_depth{};  // a multiple of the width
  std::int64_t width{};         // width of a vector
  int threads{};
  RowFunction decode_row{};
  StreamFunction stream{};
  StreamFunction last_columns{};  // computes one column at a time
  FinishFunction finish{};
  std::int64_t out_bytes{};
};

class SkinnyGemm final : public PreparedGemm {
 public:
  explicit SkinnyGemm(const Setup& setup) : setup_(setup) {}

  std::size_t workspace_bytes() const override {
    return static_cast<std::size_t>(setup_.problem.batch * setup_.padded_rows * setup_.padded_depth) * sizeof(float);
  }

  void launch(const Operands& operands, Stream&) noexcept override {
    decode_a(operands);
    const std::int64_t groups = setup_.problem.batch * groups_of_batch();
    parallel_parts(setup_.threads, [&](int part) {
      const Range share = share_of(groups, part, setup_.threads);
      for (std::int64_t i = share.first; i < share.last; ++i) multiply_group(operands, i);
    });
  }

 private:
  std::int64_t groups_of_batch() const { return ceil_div(setup_.problem.n, group_columns); }

  float* a_row(const Operands& operands, std::int64_t batch, std::int64_t row) const {
    return reinterpret_cast<float*>(operands.workspace) + (batch * setup_.padded_rows + row) * setup_.padded_depth;
  }

  void decode_a(const Operands& operands) const {
    const std::int64_t rows = setup_.problem.batch * setup_.padded_rows;
    const int parts = static_cast<int>(std::min<std::int64_t>(rows, setup_.threads));
    parallel_parts(parts, [&](int part) {
      const Range share = share_of(rows, part, parts);
      for (std::int64_t i = share.first; i < share.last; ++i) {
        decode_a_row(operands, i / setup_.padded_rows, i % setup_.padded_rows);
      }
    });
  }

  void decode_a_row(const Operands& operands, std::int64_t batch, std::int64_t row) const {
    float* to = a_row(operands, batch, row);
    if (row >= setup_.problem.m) return std::fill_n(to, setup_.padded_depth, 0.0F), void();
    const Rows rows = rows_of_a(setup_.problem, {operands.a, operands.a_scale}, batch);
    setup_.decode_row(rows, {.row = row, .padded_depth = setup_.padded_depth, .step = setup_.width, .out = to});
  }

  void multiply_group(const Operands& operands, std::int64_t index) const {
    const std::int64_t batch = index / groups_of_batch();
    const std::int64_t first = index % groups_of_batch() * group_columns;
    const std::int64_t count = std::min(group_columns, setup_.problem.n - first);
    alignas(64) float sums[most_rows_streamed * group_columns] = {};
    const Rows w = rows_of_w(setup_.problem, {operands.w, operands.w_scale}, batch);
    for (std::int64_t c = 0; c < count;) {
      const bool whole = c + setup_.shape.columns <= count;
      const StreamFunction stream = whole ? setup_.stream : setup_.last_columns;
      for (std::int64_t r = 0; r < setup_.padded_rows; r += setup_.shape.rows) {
        stream(w, {.a = a_row(operands, batch, r),
                   .a_stride = setup_.padded_depth,
                   .row = first + c,
                   .out = sums + r * group_columns + c,
                   .out_stride = group_columns});
      }
      c += whole ? setup_.shape.columns : 1;
    }
    finish_group(operands, batch, {first, first + count}, sums);
  }

  void finish_group(const Operands& operands, std::int64_t batch, const Range& columns, const float* sums) const {
    const std::int64_t bytes = setup_.out_bytes;
    for (std::int64_t r = 0; r < setup_.problem.m; ++r) {
      const std::int64_t row = batch * setup_.problem.m + r;
      setup_.finish({.in = sums + r * group_columns,
                     .bias = setup_.problem.epilogue.bias ? operands.bias + columns.first * bytes : nullptr,
                     .out = operands.c + (row * setup_.problem.n + columns.first) * bytes,
                     .count = columns.size()});
    }
  }

  Setup setup_;
};

}  // namespace

std::unique_ptr<PreparedGemm> make_stream_gemm(const Problem& problem, const FloatKernels& kernels,
                                               const StreamShape& shape, std::int64_t threads) {
  const Source w = source_of(problem.w.type);
  const Sink sink = sink_of(problem.out);
  return std::make_unique<SkinnyGemm>(
      Setup{.problem = problem,
            .shape = shape,
            .padded_rows = round_up(problem.m, shape.rows),
            .padded_depth = round_up(problem.k, kernels.width),
            .width = kernels.width,
            .threads = static_cast<int>(threads),
            .decode_row = kernels.row(source_of(problem.a.type)),
            .stream = kernels.stream(w, shape),
            .last_columns = kernels.stream(w, {.rows = shape.rows, .columns = 1, .unroll = 1}),
            .finish = kernels.finish(sink),
            .out_bytes = sink_bytes(sink)});
}

}  // namespace gemmtune::cpu_tile
