// int8 × int8 with f32 scales per tensor or per row on either side: sums are exact in int32 and scaled once at the end.
#include <algorithm>
#include <array>
#include <cstring>

#include "gemmtune/families/cpu_tile/int8_space.h"
#include "gemmtune/families/cpu_tile/panel_gemm.h"
#include "gemmtune/families/cpu_tile/path.h"

namespace gemmtune::cpu_tile {
namespace {

constexpr std::int64_t deepest_k = 131071;  // 128 · 128 · 131072 would be 2^31

const std::byte* batch_scales(const std::byte* scales, Scaling scaling, std::int64_t rows, std::int64_t batch) {
  return scales + batch * (scaling == Scaling::row ? rows : 1) * 4;
}

/// The scale of one row of either operand.
float scale_of(const std::byte* scales, Scaling scaling, std::int64_t row) {
  float value{};
  std::memcpy(&value, scales + (scaling == Scaling::row ? row * 4 : 0), 4);
  return value;
}

/// Copies a row of A into its panel, in steps of 64.
void copy_row(std::span<const std::int8_t> row, RowForm form, std::byte* out, std::int64_t out_stride) {
  for (std::size_t k = 0; k < row.size(); k += k_step, out += out_stride) {
    std::int8_t step[k_step] = {};
    std::memcpy(step, row.data() + k, std::min<std::size_t>(k_step, row.size() - k));
    if (form == RowForm::s16) {
      auto* wide = reinterpret_cast<std::int16_t*>(out);
      for (std::int64_t i = 0; i < k_step; ++i) wide[i] = step[i];
      continue;
    }
    const std::uint8_t flip = form == RowForm::u8_plus_128 ? 0x80 : 0;
    for (std::int64_t i = 0; i < k_step; ++i)
      out[i] = static_cast<std::byte>(static_cast<std::uint8_t>(step[i]) ^ flip);
  }
}

class Int8Arithmetic {
 public:
  explicit Int8Arithmetic(const PanelSetup& setup) : setup_(setup) {}

  static std::int64_t row_note_bytes(const Problem& /*problem*/) { return 0; }

  void pack_panel(const PanelJob& job) const {
    const Problem& problem = setup_.problem;
    const PanelSource source{
        .w = job.operands.w + (job.batch * problem.n + job.first()) * problem.k, .rows = job.rows, .k = problem.k};
    pack_int8_panel(source, job.columns.values + job.panel * setup_.layout.panel_bytes(),
                    job.columns.correction + job.first());
    const std::byte* scales = batch_scales(job.operands.w_scale, problem.w.scaling, problem.n, job.batch);
    for (std::int64_t c = 0; c < panel_columns; ++c) {
      job.columns.scale[job.first() + c] = c < job.rows ? scale_of(scales, problem.w.scaling, job.first() + c) : 0.0F;
    }
  }

  void pack_row(const RowJob& job) const {
    const std::int64_t k = setup_.problem.k;
    const auto* from = reinterpret_cast<const std::int8_t*>(job.operands.a) + job.row * k;
    copy_row({from, static_cast<std::size_t>(k)}, setup_.choice.isa->form, job.out, setup_.row_step_bytes());
  }

  void take(const OutputJob& job, const TileSpan& span, const std::int32_t* acc) const {
    const Problem& problem = setup_.problem;
    const std::byte* scales = batch_scales(job.operands.a_scale, problem.a.scaling, problem.m, span.batch);
    std::array<float, tallest_tile> rows{};
    for (std::int64_t r = 0; r < span.rows; ++r) {
      rows[static_cast<std::size_t>(r)] = scale_of(scales, problem.a.scaling, span.row + r);
    }
    setup_.choice.isa->finish(finish_job(setup_, job, span, {.acc = acc, .row_scale = rows.data()}));
  }

 private:
  PanelSetup setup_;
};

bool is_int8(const Side& side) {
  return side.type == DType::i8 && (side.scaling == Scaling::tensor || side.scaling == Scaling::row);
}

class Int8Path final : public KernelPath {
 public:
  Support supports(const Problem& problem, const DeviceInfo& /*device*/) const override {
    if (!is_int8(problem.a) || !is_int8(problem.w))
      return {.why_not = "int8 kernels take int8 with tensor or row scales"};
    if (!is_output(problem.out)) return {.why_not = "int8 kernels write bf16, fp16 or f32"};
    if (problem.k > deepest_k) return {.why_not = "K > 131071 can overflow int32 sums"};
    return {};
  }

  Space space(const Problem& problem, const DeviceInfo& device) const override {
    return make_int8_space(problem, device);
  }

  std::unique_ptr<PreparedGemm> prepare(const Problem& problem, const Point& point,
                                        const DeviceInfo& device) const override {
    return std::make_unique<PanelGemm<Int8Arithmetic>>(problem, choice_of(point, device));
  }
};

}  // namespace

std::unique_ptr<KernelPath> make_int8_path() { return std::make_unique<Int8Path>(); }

}  // namespace gemmtune::cpu_tile
