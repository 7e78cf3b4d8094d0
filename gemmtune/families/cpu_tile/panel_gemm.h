// A prepared GEMM on packed panels: what int8 and MXFP4 share around the engine. The Arithmetic supplies what differs:
//
//   static std::int64_t row_note_bytes(const Problem&)      memory for its notes on the rows of A, in each call
//   void pack_panel(const PanelJob&) const                  packs one column panel of the weights
//   void pack_row(const RowJob&) const                      packs one row of A
//   void take(const OutputJob&, const TileSpan&, const std::int32_t*) const    receives a finished tile
#pragma once

#include <algorithm>

#include "gemmtune/families/cpu_tile/int8_engine.h"
#include "gemmtune/families/cpu_tile/parallel.h"
#include "gemmtune/families/family.h"

namespace gemmtune::cpu_tile {

/// What is fixed when a candidate is prepared.
struct PanelSetup {
  Problem problem{};
  Int8Choice choice{};
  ColumnLayout layout{};

  std::int64_t row_step_bytes() const { return choice.tile->m * k_step * element_bytes(choice.isa->form); }
};

/// Panel `panel` of the weights of one batch element. `rows` of its 16 rows exist.
struct PanelJob {
  const Operands& operands;
  std::int64_t batch{};
  std::int64_t panel{};
  std::int64_t rows{};
  ColumnsToPack columns{};

  std::int64_t first() const { return panel * panel_columns; }
};

/// Row `row` of A, counted over all batch elements.
struct RowJob {
  const Operands& operands;
  std::int64_t row{};
  std::byte* out{};
  std::byte* notes{};
};

/// What a finished tile needs: this call's operands, packed A and the notes on its rows, and the packed columns.
struct OutputJob {
  const Operands& operands;
  const std::byte* rows{};
  const std::byte* notes{};
  const std::byte* columns{};
  const Int8Engine& engine;
};

/// Fills in what both arithmetics have in common for a finished tile. `given` has the sums and the rows' scales.
inline FinishJob finish_job(const PanelSetup& setup, const OutputJob& job, const TileSpan& span, FinishJob given) {
  const Problem& problem = setup.problem;
  const PackedColumns columns = setup.layout.at(job.columns + span.batch * setup.layout.bytes());
  const std::int64_t size = bits(problem.out) / 8;
  given.acc_stride = setup.choice.tile->n;
  given.rows = span.rows;
  given.cols = span.cols;
  given.col_scale = columns.scale + span.col;
  if (setup.choice.isa->form == RowForm::u8_plus_128) given.correction = columns.correction + span.col;
  if (problem.epilogue.bias) given.bias = job.operands.bias + span.col * size;
  given.out = job.operands.c + ((span.batch * problem.m + span.row) * problem.n + span.col) * size;
  given.out_stride = problem.n;
  given.type = problem.out;
  return given;
}

inline PanelSetup make_setup(const Problem& problem, const Int8Choice& choice) {
  const std::int64_t step = std::max(choice.tile->n, panel_columns);
  return {.problem = problem,
          .choice = choice,
          .layout = {.columns = (problem.n + step - 1) / step * step,
                     .k_steps = (problem.k + k_step - 1) / k_step,
                     .packing = choice.packing,
                     .block_scales = problem.w.scaling == Scaling::mx_1x32}};
}

template <typename Arithmetic>
class PanelGemm final : public PreparedGemm {
 public:
  PanelGemm(const Problem& problem, const Int8Choice& choice)
      : setup_(make_setup(problem, choice)),
        arithmetic_(setup_),
        engine_({.batch = problem.batch, .m = problem.m, .n = problem.n, .k = problem.k}, choice, setup_.layout) {}

  std::size_t packed_weight_bytes() const override {
    return static_cast<std::size_t>(setup_.problem.packed ? column_bytes() : 0);
  }

  std::size_t workspace_bytes() const override {
    const std::int64_t columns = setup_.problem.packed ? 0 : column_bytes();
    return static_cast<std::size_t>(engine_.row_bytes() + engine_.scratch_bytes() + note_bytes() + columns);
  }

  void pack_weights(const Operands& operands, std::byte* packed, Stream& /*stream*/) override {
    pack_columns(operands, packed);
  }

  void launch(const Operands& operands, Stream& /*stream*/) noexcept override {
    std::byte* scratch = operands.workspace + engine_.row_bytes();
    std::byte* notes = scratch + engine_.scratch_bytes();
    std::byte* own_columns = notes + note_bytes();
    if (!setup_.problem.packed) pack_columns(operands, own_columns);
    const std::byte* columns = setup_.problem.packed ? operands.packed_w : own_columns;
    pack_rows(operands, notes);
    const Output output(arithmetic_, {operands, operands.workspace, notes, columns, engine_});
    engine_.run({.rows = operands.workspace, .columns = columns, .scratch = scratch}, output);
  }

 private:
  class Output final : public TileSink {
   public:
    Output(const Arithmetic& arithmetic, const OutputJob& job) : arithmetic_(arithmetic), job_(job) {}
    void take(const TileSpan& span, const std::int32_t* acc) const noexcept override {
      arithmetic_.take(job_, span, acc);
    }

   private:
    const Arithmetic& arithmetic_;
    OutputJob job_;
  };

  std::int64_t column_bytes() const { return setup_.problem.batch * setup_.layout.bytes(); }
  std::int64_t note_bytes() const { return (Arithmetic::row_note_bytes(setup_.problem) + 63) / 64 * 64; }

  void pack_columns(const Operands& operands, std::byte* packed) const noexcept {
    const ColumnLayout& layout = setup_.layout;
    parallel_parts(setup_.choice.threads, [&](int part) {
      const Range share = share_of(setup_.problem.batch * layout.panels(), part, setup_.choice.threads);
      for (std::int64_t p = share.first; p < share.last; ++p) {
        const std::int64_t batch = p / layout.panels(), panel = p % layout.panels();
        arithmetic_.pack_panel(
            {operands, batch, panel, existing_columns(panel), layout.at(packed + batch * layout.bytes())});
      }
    });
  }

  std::int64_t existing_columns(std::int64_t panel) const {
    return std::clamp<std::int64_t>(setup_.problem.n - panel * panel_columns, 0, panel_columns);
  }

  void pack_rows(const Operands& operands, std::byte* notes) const noexcept {
    const std::int64_t m = setup_.problem.m, rows = setup_.problem.batch * m;
    parallel_parts(engine_.threads(), [&](int part) {
      const Range share = share_of(rows, part, engine_.threads());
      for (std::int64_t row = share.first; row < share.last; ++row) {
        std::byte* out = operands.workspace + engine_.row_offset(row / m, row % m, 0);
        arithmetic_.pack_row({operands, row, out, notes});
      }
    });
  }

  PanelSetup setup_;
  Arithmetic arithmetic_;
  Int8Engine engine_;
};

}  // namespace gemmtune::cpu_tile
