// The loops around the int8 kernels: they cut C into tasks, give each task to a thread, run tiles over blocks of K, and
// pass each finished tile of sums to its sink. They know nothing about scales.
#pragma once

#include "gemmtune/families/cpu_tile/int8_columns.h"

namespace gemmtune::cpu_tile {

struct GemmSize {
  std::int64_t batch{1};
  std::int64_t m{};
  std::int64_t n{};
  std::int64_t k{};

  std::int64_t k_steps() const { return (k + k_step - 1) / k_step; }
};

/// The parameters of a candidate.
struct Int8Choice {
  const Int8Isa* isa{};
  const TileKernel* tile{};
  ColumnPacking packing{ColumnPacking::int8};
  std::int64_t k_block{};  // a multiple of 64
  std::int64_t n_block{};  // a multiple of the tile's width
  int threads{1};
};

/// A finished tile of C.
struct TileSpan {
  std::int64_t batch{};
  std::int64_t row{};
  std::int64_t rows{};
  std::int64_t col{};
  std::int64_t cols{};
};

/// Receives tiles of sums, from several threads at once.
class TileSink {
 public:
  virtual ~TileSink() = default;
  virtual void take(const TileSpan& span, const std::int32_t* acc) const noexcept = 0;
};

/// Memory that a run works with: packed rows and columns of all batch elements, and scratch.
struct EngineMemory {
  const std::byte* rows{};
  const std::byte* columns{};
  std::byte* scratch{};
};

class Int8Engine {
 public:
  Int8Engine(const GemmSize& size, const Int8Choice& choice, const ColumnLayout& columns);

  /// Bytes of packed A for all batch elements.
  std::int64_t row_bytes() const { return size_.batch * row_batch_bytes(); }
  std::int64_t scratch_bytes() const { return threads_ * thread_scratch_bytes(); }
  int threads() const { return threads_; }

  /// The offset of an element in a row of packed A (k is a multiple of 32), and the distance between that row's steps
  /// of 64.
  std::int64_t row_offset(std::int64_t batch, std::int64_t row, std::int64_t k) const;
  std::int64_t row_step_bytes() const;

  void run(const EngineMemory& memory, const TileSink& sink) const noexcept;

 private:
  struct Task;

  std::int64_t row_batch_bytes() const;
  std::int64_t acc_tile() const { return choice_.tile->m * choice_.tile->n; }
  std::int64_t acc_bytes() const;
  std::int64_t thread_scratch_bytes() const;
  std::int64_t task_count() const;
  Task task(std::int64_t index, const EngineMemory& memory, std::byte* scratch) const;
  void run_task(const Task& task, const TileSink& sink) const;
  void run_k_block(const Task& task, std::int64_t step, const TileSink& sink) const;
  void run_column(const Task& task, std::int64_t tile, std::int64_t step, const TileSink& sink) const;
  TileJob column_job(const Task& task, std::int64_t tile, std::int64_t step) const;
  void expand_columns(const Task& task, std::int64_t panel, std::int64_t step, std::int64_t steps) const;

  GemmSize size_;
  Int8Choice choice_;
  ColumnLayout columns_;
  std::int64_t row_tiles_{};
  std::int64_t column_tiles_{};
  std::int64_t task_row_tiles_{};
  std::int64_t task_column_tiles_{};
  std::int64_t block_steps_{};
  int threads_{};
};

}  // namespace gemmtune::cpu_tile
