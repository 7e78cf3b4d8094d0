#include "gemmtune/families/cpu_tile/int8_engine.h"

#include <algorithm>
#include <atomic>

#include "gemmtune/families/cpu_tile/parallel.h"
#include "gemmtune/gemm/rounding.h"

namespace gemmtune::cpu_tile {
namespace {

constexpr std::int64_t most_task_rows = 256;  // a block of A, 256 × 1024, and its sums fit the L2 cache

}  // namespace

/// A rectangle of tiles of C, with the scratch of the thread that computes it.
struct Int8Engine::Task {
  std::int64_t batch{};
  Range row_tiles{};
  Range column_tiles{};
  const std::byte* rows{};  // packed rows of this batch element
  PackedColumns columns{};
  std::int32_t* acc{};
  std::byte* expanded{};
};

Int8Engine::Int8Engine(const GemmSize& size, const Int8Choice& choice, const ColumnLayout& columns)
    : size_(size),
      choice_(choice),
      columns_(columns),
      row_tiles_(ceil_div(size.m, choice.tile->m)),
      column_tiles_(ceil_div(size.n, choice.tile->n)),
      task_column_tiles_(std::max<std::int64_t>(1, choice.n_block / choice.tile->n)),
      block_steps_(std::min(choice.k_block / k_step, size.k_steps())) {
  task_row_tiles_ = std::min(row_tiles_, std::max<std::int64_t>(1, most_task_rows / choice.tile->m));
  while (task_row_tiles_ > 1 && task_count() < 2 * choice.threads) task_row_tiles_ = ceil_div(task_row_tiles_, 2);
  threads_ = static_cast<int>(std::min<std::int64_t>(choice.threads, task_count()));
}

std::int64_t Int8Engine::task_count() const {
  return size_.batch * ceil_div(row_tiles_, task_row_tiles_) * ceil_div(column_tiles_, task_column_tiles_);
}

std::int64_t Int8Engine::row_step_bytes() const { return choice_.tile->m * k_step * element_bytes(choice_.isa->form); }

std::int64_t Int8Engine::row_batch_bytes() const { return row_tiles_ * size_.k_steps() * row_step_bytes(); }

std::int64_t Int8Engine::row_offset(std::int64_t batch, std::int64_t row, std::int64_t k) const {
  const std::int64_t panel = row / choice_.tile->m, inside = row % choice_.tile->m;
  return batch * row_batch_bytes() + (panel * size_.k_steps() + k / k_step) * row_step_bytes() +
         (inside * k_step + k % k_step) * element_bytes(choice_.isa->form);
}

/// If K has only one block, a tile is finished at once. Otherwise the sums of a whole task are kept for the next block.
std::int64_t Int8Engine::acc_bytes() const {
  const bool whole_k = block_steps_ == size_.k_steps();
  return acc_tile() * 4 * (whole_k ? 1 : task_row_tiles_ * task_column_tiles_);
}

std::int64_t Int8Engine::thread_scratch_bytes() const {
  const std::int64_t panels = std::max<std::int64_t>(1, choice_.tile->n / panel_columns);
  const std::int64_t expanded = choice_.packing == ColumnPacking::nibble ? panels * block_steps_ * panel_step_bytes : 0;
  return round_up(acc_bytes() + expanded, 128);
}

Int8Engine::Task Int8Engine::task(std::int64_t index, const EngineMemory& memory, std::byte* scratch) const {
  const std::int64_t down = ceil_div(row_tiles_, task_row_tiles_);
  const std::int64_t across = ceil_div(column_tiles_, task_column_tiles_);
  const std::int64_t row = index % down * task_row_tiles_, column = index / down % across * task_column_tiles_;
  const std::int64_t batch = index / down / across;
  return {.batch = batch,
          .row_tiles = {.first = row, .last = std::min(row + task_row_tiles_, row_tiles_)},
          .column_tiles = {.first = column, .last = std::min(column + task_column_tiles_, column_tiles_)},
          .rows = memory.rows + batch * row_batch_bytes(),
          .columns = columns_.at(memory.columns + batch * columns_.bytes()),
          .acc = reinterpret_cast<std::int32_t*>(scratch),
          .expanded = scratch + acc_bytes()};
}

void Int8Engine::run(const EngineMemory& memory, const TileSink& sink) const noexcept {
  std::atomic<std::int64_t> next{0};
  parallel_parts(threads_, [&](int thread) {
    std::byte* scratch = memory.scratch + thread * thread_scratch_bytes();
    choice_.isa->enter();
    for (std::int64_t index = next++; index < task_count(); index = next++) {
      run_task(task(index, memory, scratch), sink);
    }
    choice_.isa->leave();
  });
}

void Int8Engine::run_task(const Task& task, const TileSink& sink) const {
  for (std::int64_t step = 0; step < size_.k_steps(); step += block_steps_) run_k_block(task, step, sink);
}

void Int8Engine::run_k_block(const Task& task, std::int64_t step, const TileSink& sink) const {
  for (std::int64_t tile = task.column_tiles.first; tile < task.column_tiles.last; ++tile) {
    run_column(task, tile, step, sink);
  }
}

void Int8Engine::expand_columns(const Task& task, std::int64_t panel, std::int64_t step, std::int64_t steps) const {
  for (std::int64_t p = 0; p < choice_.tile->n / panel_columns; ++p) {
    const auto* values =
        reinterpret_cast<const std::uint8_t*>(task.columns.values) + (panel + p) * columns_.panel_bytes();
    choice_.isa->expand_panel({
        .nibbles = values + step * panel_step_bytes / 2,
        .scales = task.columns.block_scales + (panel + p) * columns_.panel_scale_bytes() + 2 * step * panel_columns,
        .shift_base = task.columns.shift_base + (panel + p) * panel_columns,
        .k_steps = steps,
        .out = task.expanded + p * block_steps_ * panel_step_bytes,
    });
  }
}

/// The job that multiplies the task's rows with one column tile. Only its rows are still to be filled in.
TileJob Int8Engine::column_job(const Task& task, std::int64_t tile, std::int64_t step) const {
  const std::int64_t column = tile * choice_.tile->n, panel = column / panel_columns;
  const std::int64_t steps = std::min(block_steps_, size_.k_steps() - step);
  TileJob job{.k_steps = steps, .accumulate = step > 0};
  if (choice_.packing == ColumnPacking::nibble) {
    expand_columns(task, panel, step, steps);
    job.w = task.expanded;
    job.w_stride = block_steps_ * panel_step_bytes;
    return job;
  }
  job.w = task.columns.values + panel * columns_.panel_bytes() + step * panel_step_bytes + column % panel_columns * 4;
  job.w_stride = columns_.panel_bytes();
  return job;
}

void Int8Engine::run_column(const Task& task, std::int64_t tile, std::int64_t step, const TileSink& sink) const {
  TileJob job = column_job(task, tile, step);
  const bool whole_k = block_steps_ == size_.k_steps();
  const bool finished = step + job.k_steps == size_.k_steps();
  const std::int64_t column = tile * choice_.tile->n;
  for (std::int64_t r = task.row_tiles.first; r < task.row_tiles.last; ++r) {
    const std::int64_t row = r * choice_.tile->m;
    const std::int64_t slot = (tile - task.column_tiles.first) * task_row_tiles_ + r - task.row_tiles.first;
    job.a = task.rows + (r * size_.k_steps() + step) * row_step_bytes();
    job.rows = std::min(choice_.tile->m, size_.m - row);
    job.acc = task.acc + (whole_k ? 0 : slot * acc_tile());
    choice_.tile->run(job);
    if (!finished) continue;
    const std::int64_t cols = std::min(choice_.tile->n, size_.n - column);
    sink.take({.batch = task.batch, .row = row, .rows = job.rows, .col = column, .cols = cols}, job.acc);
  }
}

}  // namespace gemmtune::cpu_tile
