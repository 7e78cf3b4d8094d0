#include "gemmtune/families/cpu_tile/block_gemm.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "gemmtune/families/cpu_tile/block_columns.h"
#include "gemmtune/families/cpu_tile/float_problem.h"
#include "gemmtune/families/cpu_tile/parallel.h"

namespace gemmtune::cpu_tile {
namespace {

constexpr std::int64_t usual_task_rows = 256;   // a K block of so many rows stays in the L2 cache
constexpr std::int64_t blocks_of_row_job = 64;  // so that threads can share even one row

/// The scales of rows with which exponents may be added: 2^±60, and neither zeros nor NaN.
constexpr std::uint32_t least_scale_bits = (127 - 60) << 23;
constexpr std::uint32_t most_scale_bits = (127 + 60) << 23;

/// Sizes, counts and places that follow from problem and choice.
struct BlockPlan {
  Problem problem{};
  BlockChoice choice{};
  BlockLayout layout{};
  std::int64_t row_panels{};
  std::int64_t task_row_panels{};     // of one task
  std::int64_t task_column_panels{};  // of one task
  std::int64_t pass_blocks{};         // along K
  std::int64_t row_block_bytes{};     // of one block of a row panel
  int threads{};
  const DecodedKernels* decoded{};  // null: tiles decode columns themselves

  std::int64_t blocks() const { return layout.blocks(); }
  std::int64_t row_panel_bytes() const { return blocks() * row_block_bytes; }
  std::int64_t row_bytes() const { return round_up(problem.batch * row_panels * row_panel_bytes(), 64); }
  std::int64_t tile_floats() const { return choice.height * block_columns; }
  bool one_pass() const { return pass_blocks >= blocks(); }
  std::int64_t tile_panels() const { return decoded != nullptr ? decoded->panels : 1; }
  /// Sums of a task. A tile may have more column panels than the task has left.
  std::int64_t kept_tiles() const {
    return one_pass() ? tile_panels() : task_row_panels * round_up(task_column_panels, tile_panels());
  }
  std::int64_t sums_bytes() const { return round_up(kept_tiles() * tile_floats() * 4, 128); }
  std::int64_t decoded_block_bytes() const { return decoded == nullptr ? 0 : decoded->block_bytes(layout.weights); }
  std::int64_t decoded_bytes() const {
    return round_up(std::min(pass_blocks, blocks()) * tile_panels() * decoded_block_bytes(), 128);
  }
  std::int64_t scratch_bytes() const { return sums_bytes() + decoded_bytes(); }
  std::int64_t row_tasks() const { return ceil_div(row_panels, task_row_panels); }
  std::int64_t column_tasks() const { return ceil_div(layout.panels(), task_column_panels); }
};

std::int64_t bytes_of_block(const BlockLayout& layout, const BlockChoice& choice) {
  if (choice.kernels->form == BlockRows::bf16_pairs) return choice.height * 64;
  if (choice.kernels->form == BlockRows::f32) return choice.height * 128;
  return choice.height * (block_length + 4 + 4 * layout.groups());
}

BlockPlan plan_blocks(const Problem& problem, const BlockChoice& choice) {
  BlockPlan plan{.problem = problem, .choice = choice, .layout = block_layout_of(problem)};
  plan.row_panels = ceil_div(problem.m, choice.height);
  const std::int64_t row_tasks = (problem.m + usual_task_rows / 2) / usual_task_rows;
  plan.task_row_panels = ceil_div(plan.row_panels, std::max<std::int64_t>(1, row_tasks));
  plan.task_column_panels = std::clamp<std::int64_t>(choice.n_block / block_columns, 1, plan.layout.panels());
  plan.pass_blocks = choice.k_block / block_length;
  plan.row_block_bytes = bytes_of_block(plan.layout, choice);
  plan.threads = static_cast<int>(std::min<std::int64_t>(choice.threads, problem.batch * plan.layout.panels()));
  if (decodes_columns(*choice.kernels, choice.height, problem.m)) plan.decoded = choice.kernels->decoded;
  return plan;
}

/// Consecutive panels of C in one batch element.
struct Task {
  std::int64_t batch{};
  Range rows{};     // row panels
  Range columns{};  // column panels
};

/// One call's memory.
struct BlockLaunch {
  const BlockPlan& plan;
  const Operands& operands;
  const std::byte* columns{};  // packed weights
  bool adds_exponents{};       // of the scales of A
};

class TaskRun {
 public:
  TaskRun(const BlockLaunch& launch, const Task& task, std::byte* scratch)
      : launch_(launch),
        plan_(launch.plan),
        task_(task),
        packed_(launch.columns + task.batch * plan_.layout.bytes()),
        sums_(reinterpret_cast<float*>(scratch)),
        decoded_(scratch + plan_.sums_bytes()) {
    const BlockHeader& header = plan_.layout.header(packed_);
    factor_ = header.factor;
    scaling_ =
        launch.adds_exponents && header.adds_exponents != 0 ? BlockScaling::add_exponents : BlockScaling::multiply;
    full_ = tile(plan_.choice.height);
    last_ = tile(rows_of(plan_.row_panels - 1));
  }

  void run() const {
    for (std::int64_t b = 0; b < plan_.blocks(); b += plan_.pass_blocks) {
      const Range pass{b, std::min(b + plan_.pass_blocks, plan_.blocks())};
      for (std::int64_t c = task_.columns.first; c < task_.columns.last; c += plan_.tile_panels()) {
        if (plan_.decoded != nullptr) decode(c, pass);
        for (std::int64_t r = task_.rows.first; r < task_.rows.last; ++r) add_tile(r, c, pass);
      }
    }
  }

 private:
  std::int64_t rows_of(std::int64_t panel) const {
    return std::min(plan_.choice.height, plan_.problem.m - panel * plan_.choice.height);
  }

  BlockTileFunction tile(std::int64_t rows) const {
    const BlockKernels& kernels = *plan_.choice.kernels;
    const BlockTileKey key{.weights = plan_.layout.weights, .scaling = scaling_, .rows = kernels.height(rows)};
    return plan_.decoded != nullptr ? plan_.decoded->tile(key) : kernels.tile(key);
  }

  const std::byte* panel_at(std::int64_t column_panel, const Range& pass) const {
    const BlockLayout& layout = plan_.layout;
    return packed_ + layout.panel_offset(column_panel) + pass.first / blocks_of_step * layout.step_bytes();
  }

  /// A tile always has all its panels: beyond the task's last one, that one is repeated.
  void decode(std::int64_t column_panel, const Range& pass) const {
    const BlockTileKey key{.weights = plan_.layout.weights, .scaling = scaling_};
    const BlockDecodeFunction decode_panel = plan_.decoded->decode(key);
    const std::int64_t bytes = plan_.decoded_block_bytes();
    for (std::int64_t p = 0; p < plan_.tile_panels(); ++p) {
      decode_panel({.w = panel_at(std::min(column_panel + p, task_.columns.last - 1), pass),
                    .blocks = pass.size(),
                    .out = decoded_ + p * bytes,
                    .out_bytes = plan_.tile_panels() * bytes});
    }
  }

  float* sums_at(std::int64_t row_panel, std::int64_t column_panel) const {
    const std::int64_t column = column_panel - task_.columns.first;
    if (plan_.one_pass()) return sums_ + column % plan_.tile_panels() * plan_.tile_floats();
    return sums_ + (column * task_.rows.size() + row_panel - task_.rows.first) * plan_.tile_floats();
  }

  void add_tile(std::int64_t row_panel, std::int64_t column_panel, const Range& pass) const {
    const std::byte* a =
        launch_.operands.workspace + (task_.batch * plan_.row_panels + row_panel) * plan_.row_panel_bytes();
    float* sums = sums_at(row_panel, column_panel);
    const BlockTileFunction multiply = row_panel + 1 == plan_.row_panels ? last_ : full_;
    multiply({.a = a + pass.first * plan_.row_block_bytes,
              .w = plan_.decoded != nullptr ? decoded_ : panel_at(column_panel, pass),
              .blocks = pass.size(),
              .height = plan_.choice.height,
              .c = sums,
              .accumulate = pass.first,
              .next_c = sums_at(row_panel, column_panel + 1) - sums});
    if (pass.last < plan_.blocks()) return;
    const std::int64_t last = std::min(column_panel + plan_.tile_panels(), task_.columns.last);
    for (std::int64_t c = column_panel; c < last; ++c) finish(row_panel, c, sums_at(row_panel, c));
  }

  void finish(std::int64_t row_panel, std::int64_t column_panel, float* sums) const {
    const Problem& problem = plan_.problem;
    const std::int64_t size = bits(problem.out) / 8, column = column_panel * block_columns;
    const std::int64_t rows = rows_of(row_panel), first = task_.batch * problem.m + row_panel * plan_.choice.height;
    if (factor_ != 1.0F) {
      for (std::int64_t i = 0; i < rows * block_columns; ++i) sums[i] *= factor_;
    }
    for (std::int64_t r = 0; r < rows; ++r) {
      plan_.choice.finish({.in = sums + r * block_columns,
                           .bias = problem.epilogue.bias ? launch_.operands.bias + column * size : nullptr,
                           .out = launch_.operands.c + ((first + r) * problem.n + column) * size,
                           .count = std::min(block_columns, problem.n - column)});
    }
  }

  const BlockLaunch& launch_;
  const BlockPlan& plan_;
  Task task_;
  const std::byte* packed_;
  float* sums_;
  std::byte* decoded_;  // column panels of a tile
  float factor_{1};
  BlockScaling scaling_{};
  BlockTileFunction full_{};
  BlockTileFunction last_{};  // of the last row of panels, which may be lower
};

/// Packs A into row panels.
class RowPacker {
 public:
  RowPacker(const BlockPlan& plan, const Operands& operands) : plan_(plan), operands_(operands) {}

  /// Returns whether the scales of rows let exponents be added.
  bool run() const {
    const std::int64_t of_panel = ceil_div(plan_.blocks(), blocks_of_row_job);
    const std::int64_t jobs = plan_.problem.batch * plan_.row_panels * of_panel;
    const int parts = static_cast<int>(std::min<std::int64_t>(jobs, plan_.threads));
    std::atomic<bool> in_range{plan_.choice.kernels->form == BlockRows::int8};
    parallel_parts(parts, [&](int part) {
      const Range share = share_of(jobs, part, parts);
      for (std::int64_t i = share.first; i < share.last; ++i) {
        const std::int64_t block = i % of_panel * blocks_of_row_job;
        if (!pack(i / of_panel, {block, std::min(block + blocks_of_row_job, plan_.blocks())})) in_range = false;
      }
    });
    return in_range;
  }

 private:
  /// Packs some blocks of a panel, which counts on through the batch.
  bool pack(std::int64_t panel, const Range& blocks) const {
    const Problem& problem = plan_.problem;
    std::byte* out = operands_.workspace + panel * plan_.row_panel_bytes();
    const std::int64_t first = panel % plan_.row_panels * plan_.choice.height;
    const std::int64_t rows = std::min(plan_.choice.height, problem.m - first);
    if (rows < plan_.choice.height) {
      std::memset(out + blocks.first * plan_.row_block_bytes, 0,
                  static_cast<std::size_t>(blocks.size() * plan_.row_block_bytes));
    }
    const std::int64_t row_bytes = storage_bytes(problem.a.type, problem.k);
    const std::byte* from = operands_.a + (panel / plan_.row_panels * problem.m + first) * row_bytes;
    bool in_range = true;
    for (std::int64_t r = 0; r < rows; ++r) {
      const ScaleExtent extent = plan_.choice.kernels->pack_row({.row = from + r * row_bytes,
                                                                 .source = source_of(problem.a.type),
                                                                 .k = problem.k,
                                                                 .first_block = blocks.first,
                                                                 .last_block = blocks.last,
                                                                 .panel = out,
                                                                 .block_bytes = plan_.row_block_bytes,
                                                                 .height = plan_.choice.height,
                                                                 .inside = r,
                                                                 .groups = plan_.layout.groups(),
                                                                 .offset = plan_.layout.offset()});
      in_range = in_range && extent.least >= least_scale_bits && extent.most <= most_scale_bits;
    }
    return in_range;
  }

  const BlockPlan& plan_;
  const Operands& operands_;
};

class BlockGemm final : public PreparedGemm {
 public:
  explicit BlockGemm(const BlockPlan& plan) : plan_(plan) {}

  std::size_t packed_weight_bytes() const override {
    return static_cast<std::size_t>(plan_.problem.packed ? column_bytes() : 0);
  }

  std::size_t workspace_bytes() const override {
    const std::int64_t columns = plan_.problem.packed ? 0 : column_bytes();
    return static_cast<std::size_t>(plan_.row_bytes() + plan_.threads * plan_.scratch_bytes() + columns);
  }

  void pack_weights(const Operands& operands, std::byte* packed, Stream& /*stream*/) override {
    pack_columns(operands, packed);
  }

  void launch(const Operands& operands, Stream& /*stream*/) noexcept override {
    std::byte* scratch = operands.workspace + plan_.row_bytes();
    std::byte* own_columns = scratch + plan_.threads * plan_.scratch_bytes();
    if (!plan_.problem.packed) pack_columns(operands, own_columns);
    const BlockLaunch launch{.plan = plan_,
                             .operands = operands,
                             .columns = plan_.problem.packed ? operands.packed_w : own_columns,
                             .adds_exponents = RowPacker(plan_, operands).run()};
    plan_.row_tasks() == 1 ? run_shares(launch, scratch) : run_tasks(launch, scratch);
  }

 private:
  std::int64_t column_bytes() const { return plan_.problem.batch * plan_.layout.bytes(); }
  std::int64_t panel_count() const { return plan_.problem.batch * plan_.layout.panels(); }

  /// Each thread packs the panels that it will read in a call with few rows: the memory is then near it.
  void pack_columns(const Operands& operands, std::byte* packed) const noexcept {
    const BlockLayout& layout = plan_.layout;
    parallel_parts(plan_.threads, [&](int part) {
      const Range share = share_of(panel_count(), part, plan_.threads);
      for (std::int64_t i = share.first; i < share.last; ++i) {
        const std::int64_t batch = i / layout.panels(), panel = i % layout.panels();
        const BlockSource source = block_source_of(plan_.problem, operands, batch);
        std::byte* of_batch = packed + batch * layout.bytes();
        if (panel == 0) write_header(block_header_of(layout, source), of_batch);
        pack_block_panel(layout, source, panel, of_batch + layout.panel_offset(panel));
      }
    });
  }

  static void write_header(const BlockHeader& header, std::byte* to) {
    std::memset(to, 0, BlockLayout::header_bytes);
    std::memcpy(to, &header, sizeof header);
  }

  /// All rows are in one task: each thread takes one contiguous share of the columns.
  void run_shares(const BlockLaunch& launch, std::byte* scratch) const {
    const std::int64_t panels = plan_.layout.panels();
    parallel_parts(plan_.threads, [&](int part) {
      const Range share = share_of(panel_count(), part, plan_.threads);
      for (std::int64_t i = share.first; i < share.last;) {
        const std::int64_t batch = i / panels, first = i % panels;
        const std::int64_t count = std::min({plan_.task_column_panels, panels - first, share.last - i});
        const Task task{.batch = batch, .rows = {0, plan_.row_panels}, .columns = {first, first + count}};
        TaskRun(launch, task, scratch + part * plan_.scratch_bytes()).run();
        i += count;
      }
    });
  }

  void run_tasks(const BlockLaunch& launch, std::byte* scratch) const {
    std::atomic<std::int64_t> next{0};
    const std::int64_t tasks = plan_.problem.batch * plan_.row_tasks() * plan_.column_tasks();
    parallel_parts(plan_.threads, [&](int part) {
      for (std::int64_t i = next++; i < tasks; i = next++) {
        TaskRun(launch, task(i), scratch + part * plan_.scratch_bytes()).run();
      }
    });
  }

  /// Tasks that share columns follow each other.
  Task task(std::int64_t index) const {
    const std::int64_t row = index % plan_.row_tasks() * plan_.task_row_panels;
    const std::int64_t column = index / plan_.row_tasks() % plan_.column_tasks() * plan_.task_column_panels;
    return {.batch = index / plan_.row_tasks() / plan_.column_tasks(),
            .rows = {row, std::min(row + plan_.task_row_panels, plan_.row_panels)},
            .columns = {column, std::min(column + plan_.task_column_panels, plan_.layout.panels())}};
  }

  BlockPlan plan_;
};

}  // namespace

bool decodes_columns(const BlockKernels& kernels, std::int64_t height, std::int64_t rows) {
  return kernels.decoded != nullptr && height == kernels.decoded->height && rows > height;
}

std::unique_ptr<PreparedGemm> make_block_gemm(const Problem& problem, const BlockChoice& choice) {
  return std::make_unique<BlockGemm>(plan_blocks(problem, choice));
}

}  // namespace gemmtune::cpu_tile
