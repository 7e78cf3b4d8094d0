// MXFP4 × MXFP4 with the int8 kernels: rows and columns that can be folded are exact in int32, and others are
// multiplied in blocks of 32.
#include <algorithm>
#include <array>

#include "gemmtune/families/cpu_tile/int8_functions.h"
#include "gemmtune/families/cpu_tile/int8_space.h"
#include "gemmtune/families/cpu_tile/mxfp4_blocks.h"
#include "gemmtune/families/cpu_tile/mxfp4_columns.h"
#include "gemmtune/families/cpu_tile/path.h"

namespace gemmtune::cpu_tile {
namespace {

constexpr std::int64_t deepest_k = 233016;  // 96 · 96 · 233017 is more than 2^31

/// The limits of scale bytes within which float arithmetic on a tile is exact: 2^31 · row factor does not overflow, and
/// no product is subnormal.
constexpr int highest_row_base = 96 + 128;
constexpr int lowest_base = 2;
constexpr int lowest_base_sum = 256 - 126;

class Mxfp4Arithmetic {
 public:
  explicit Mxfp4Arithmetic(const PanelSetup& setup) : setup_(setup) {}

  static std::int64_t row_note_bytes(const Problem& problem) {
    return problem.batch * problem.m * static_cast<std::int64_t>(sizeof(Fold));
  }

  void pack_panel(const PanelJob& job) const { pack_mxfp4_panel(setup_, job); }

  void pack_row(const RowJob& job) const {
    const Mxfp4Row row = mxfp4_row(job.operands.a, job.operands.a_scale, setup_.problem.k, job.row);
    const Fold fold = fold_of(row);
    reinterpret_cast<Fold*>(job.notes)[job.row] = fold;
    setup_.choice.isa->expand_row({.codes = row.codes,
                                   .scales = row.scales,
                                   .k = row.k,
                                   .shift_base = fold.shift_base(),
                                   .form = setup_.choice.isa->form,
                                   .out = job.out,
                                   .out_stride = setup_.row_step_bytes()});
  }

  void take(const OutputJob& job, const TileSpan& span, const std::int32_t* acc) const {
    const Fold* folds = reinterpret_cast<const Fold*>(job.notes) + span.batch * setup_.problem.m + span.row;
    const PackedColumns columns = setup_.layout.at(job.columns + span.batch * setup_.layout.bytes());
    std::array<float, tallest_tile> rows{};
    std::transform(folds, folds + span.rows, rows.begin(), row_factor);
    const FinishJob finish = finish_job(setup_, job, span, {.acc = acc, .row_scale = rows.data()});
    const bool exact_in_float = finish.bias == nullptr && stays_normal(folds, columns, span);
    exact_in_float ? setup_.choice.isa->finish(finish) : portable::finish(finish);
    finish_by_blocks({.setup = setup_, .output = job, .span = span, .folds = folds, .columns = columns});
  }

 private:
  /// Whether the vectorised finish rounds this tile's sums only once.
  static bool stays_normal(const Fold* folds, const PackedColumns& columns, const TileSpan& span) {
    int low_row = 255, high_row = 0, low_column = 255;
    for (std::int64_t r = 0; r < span.rows; ++r) {
      if (folds[r].kind != FoldKind::folded) continue;
      low_row = std::min<int>(low_row, folds[r].base);
      high_row = std::max<int>(high_row, folds[r].base);
    }
    for (std::int64_t c = span.col; c < span.col + span.cols; ++c) {
      if (columns.kind[c] == FoldKind::folded) low_column = std::min<int>(low_column, columns.base[c]);
    }
    return high_row <= highest_row_base && low_row >= lowest_base && low_row + low_column >= lowest_base_sum;
  }

  PanelSetup setup_;
};

class Mxfp4Path final : public KernelPath {
 public:
  Support supports(const Problem& problem, const DeviceInfo& /*device*/) const override {
    if (!is_mxfp4(problem.a) || !is_mxfp4(problem.w)) return {.why_not = "MXFP4 kernels take e2m1/1x32 on both sides"};
    if (!is_output(problem.out)) return {.why_not = "MXFP4 kernels write bf16, fp16 or f32"};
    if (problem.k > deepest_k) return {.why_not = "K > 233016 can overflow int32 sums"};
    return {};
  }

  Space space(const Problem& problem, const DeviceInfo& device) const override {
    return make_mxfp4_space(problem, device);
  }

  std::unique_ptr<PreparedGemm> prepare(const Problem& problem, const Point& point,
                                        const DeviceInfo& device) const override {
    return std::make_unique<PanelGemm<Mxfp4Arithmetic>>(problem, choice_of(point, device));
  }
};

}  // namespace

std::unique_ptr<KernelPath> make_mxfp4_path() { return std::make_unique<Mxfp4Path>(); }

}  // namespace gemmtune::cpu_tile
