// Multiplies the wide rows of the activations, which could not be folded, by the folded weights: see kernels/rescue.h.
// Compiled once for each W_TYPE, W_BASE, OUT (f32, f16 or bf16) and HAS_BIAS.
//
// The thread blocks take turns at tiles of 64 wide rows by 128 columns of C. The tensor cores multiply bf16. An
// activation is its E2M1 value scaled relative to its row's largest exponent. A weight is its folded value, which bf16
// holds exactly. Activations are converted to bf16 in shared memory, one stage ahead; weights are converted when a warp
// reads its fragments. Both operands are permuted along K in the same way, so that a thread can read 16 neighbouring
// elements at once.

#include <bit>
#include <cstdint>

#include "gemmtune/gemm/element_codecs.h"
#include "gemmtune/kernels/e2m1_bits.cuh"
#include "gemmtune/kernels/fold_rules.h"
#include "gemmtune/kernels/pdl.cuh"
#include "gemmtune/kernels/rescue_arguments.h"

using namespace gemmtune;

constexpr FoldType w_type = FoldType::W_TYPE;
constexpr FoldBase w_base = FoldBase::W_BASE;

constexpr int tile_rows = 64;
constexpr int tile_columns = 128;
constexpr int tile_k = fold_chunk;
constexpr int w_stages = 3;
constexpr int a_stages = 4;  // one more than for W, because activations are needed a stage earlier
constexpr int threads = rescue_threads;
constexpr int row_tiles = tile_rows / 16;           // 16-row mma tiles of a warp, which has all rows
constexpr int column_tiles = tile_columns / 4 / 8;  // 8-column mma tiles of a warp, which has a quarter of the columns
constexpr int listed_rows = 1024;                   // the most wide rows that are listed at once

// The tensor cores cut off low bits as they accumulate, so their sums are added to float totals after this many stages.
// If each chunk has its own scale, that happens after every stage.
constexpr int stages_of_a_sum = w_base == FoldBase::chunk ? 1 : 4;

// The bits of an e4m3 weight are moved into a bf16 without adjusting the exponent for bf16's larger bias, so the weight
// becomes 2^-120 times too small. Activations are scaled by 2^100 in return, so that no product leaves float's normal
// range. The epilogue corrects the rest.
constexpr int w_shift = w_type == FoldType::e4m3 ? -120 : 0;
constexpr int a_shift = w_type == FoldType::e4m3 ? 100 : 0;

struct WStage {
  unsigned char bytes[tile_columns * tile_k];
};

struct AStage {
  unsigned char codes[tile_rows * tile_k / 2];
};

struct Shared {
  WStage w[w_stages];
  AStage a[a_stages];
  uint4 activations[2][tile_rows * tile_k / 8];  // bf16, of the current stage and the next
  int rows[listed_rows];
  int warps[threads / 32];
};

static_assert(sizeof(Shared) == rescue_shared_bytes);

/// The part of C that a block computes at once: up to 64 wide rows, and 128 columns from `column` on.
struct Tile {
  const int* rows;  // indices in the batch
  int row_count;
  std::int64_t batch;
  std::int64_t column;
};

// Finding the wide rows.

/// The flags of the 16 rows from group · 16 on, a byte each: 1 if the row is wide and lies in [begin, end), else 0.
/// Rows are counted over all batches.
__device__ uint4 wide_flags(const RescueArguments& at, std::int64_t group, std::int64_t begin, std::int64_t end) {
  const uint4 flags = *reinterpret_cast<const uint4*>(at.a_wide + group * 16);
  unsigned words[4]{flags.x, flags.y, flags.z, flags.w};
  const bool whole = group * 16 >= begin && group * 16 + 16 <= end;
  for (int i = 0; i < 16 && !whole; ++i) {
    const std::int64_t row = group * 16 + i;
    if (row < begin || row >= end) words[i / 4] &= ~(255U << (i % 4 * 8));
  }
  return {words[0] & 0x01010101U, words[1] & 0x01010101U, words[2] & 0x01010101U, words[3] & 0x01010101U};
}

__device__ bool any_wide(const RescueArguments& at) {
  const std::int64_t rows = at.batch * at.m;
  const auto* flags = reinterpret_cast<const uint4*>(at.a_wide);
  unsigned any = 0;
#pragma unroll 8
  for (std::int64_t group = threadIdx.x; group < rows / 16; group += threads) {
    const uint4 here = __ldcg(flags + group);
    any |= here.x | here.y | here.z | here.w;
  }
  if (threadIdx.x < rows % 16) any |= __ldcg(at.a_wide + rows / 16 * 16 + threadIdx.x);
  return __syncthreads_or(static_cast<int>(any & 0x01010101U)) != 0;
}

/// Sums of a value of each thread: over the block's threads before this one, and over all of them.
struct Sum {
  int before;
  int total;
};

__device__ Sum running_sum(int value, int* warps) {
  int upto = value;
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(0xffffffffU, upto, step);
    if (threadIdx.x % 32 >= step) upto += other;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 31) warps[threadIdx.x / 32] = upto;
  __syncthreads();
  Sum sum{upto - value, 0};
  for (int warp = 0; warp < threads / 32; ++warp) {
    if (warp < static_cast<int>(threadIdx.x) / 32) sum.before += warps[warp];
    sum.total += warps[warp];
  }
  return sum;
}

/// Numbers the wide rows of a batch in ascending order. Writes the rows with numbers [first, first + listed_rows) to
/// shared.rows, as indices in the batch. Returns how many wide rows the batch has.
__device__ int list_wide_rows(const RescueArguments& at, std::int64_t batch, int first, Shared& shared) {
  const std::int64_t begin = batch * at.m;
  const std::int64_t end = begin + at.m;
  int found = 0;
  for (std::int64_t group = begin / 16; group * 16 < end; group += threads) {
    const std::int64_t mine = group + threadIdx.x;
    uint4 flags{};
    if (mine * 16 < end) flags = wide_flags(at, mine, begin, end);
    const unsigned words[4]{flags.x, flags.y, flags.z, flags.w};
    int count = 0;
    for (const unsigned word : words) count += __popc(word);
    const Sum sum = running_sum(count, shared.warps);
    int number = found + sum.before - first;
    for (int i = 0; i < 16 && count > 0; ++i) {
      if ((words[i / 4] >> (i % 4 * 8) & 1U) == 0) continue;
      if (number >= 0 && number < listed_rows) shared.rows[number] = static_cast<int>(mine * 16 + i - begin);
      ++number;
    }
    found += sum.total;
  }
  __syncthreads();
  return found;
}

// Copying from global to shared memory. The bytes of each row are swizzled (the XORs below), so that the threads' reads
// have no bank conflicts.

__device__ void copy_16(unsigned char* to, const unsigned char* from, bool there) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const int bytes = there ? 16 : 0;  // cp.async fills the rest with zeros
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes));
}

__device__ int w_place(int column, int byte) { return column * tile_k + (byte ^ (column % 2 * 64)); }
__device__ int a_place(int row, int byte) { return row * (tile_k / 2) + (byte ^ (row / 2 % 2 * 16)); }
__device__ int activations_place(int row, int eight) { return row * (tile_k / 8) + (eight ^ (row % 8)); }

constexpr int w_threads = tile_k / 16;           // threads that copy one column of a stage
constexpr int w_step = threads / w_threads;      // columns that all threads copy at once
constexpr int w_copies = tile_columns / w_step;  // copies of each thread
constexpr int a_threads = tile_k / 32;
constexpr int a_step = threads / a_threads;
constexpr int a_copies = tile_rows / a_step;

/// Where a thread copies from for each stage, and where it reads scales.
struct Source {
  const unsigned char* w;
  const unsigned char* a[a_copies];
  const unsigned char* e8m0;  // scales of the row that the thread converts to bf16; null if there is no such row
  int columns;                // columns of C from the thread's first one on, 128 at most
  int highest;                // the highest scale byte of the row that the thread converts
};

__device__ Source source_of(const RescueArguments& at, const Tile& tile) {
  Source source{};
  const int column = threadIdx.x / w_threads;
  source.columns = static_cast<int>(min(at.n - tile.column - column, static_cast<std::int64_t>(tile_columns)));
  source.w = at.w + (tile.batch * at.n + tile.column + column) * at.k + threadIdx.x % w_threads * 16;
  const auto place = [&](int number) { return tile.batch * at.m + tile.rows[number]; };
#pragma unroll
  for (int i = 0; i < a_copies; ++i) {
    const int number = threadIdx.x / a_threads + i * a_step;
    if (number < tile.row_count) source.a[i] = at.a + place(number) * (at.k / 2) + threadIdx.x % a_threads * 16;
  }
  const int number = threadIdx.x / 2;
  if (number < tile.row_count) {
    source.e8m0 = at.a_e8m0 + place(number) * (at.k / fold_block);
    source.highest = at.a_ranges[place(number)] >> 8;
  }
  return source;
}

__device__ void load_w(const RescueArguments& at, const Source& source, std::int64_t k, WStage& stage) {
  const int byte = threadIdx.x % w_threads * 16;
#pragma unroll
  for (int i = 0; i < w_copies; ++i) {
    const bool there = i * w_step < source.columns && k + byte < at.k;
    copy_16(stage.bytes + w_place(threadIdx.x / w_threads + i * w_step, byte),
            there ? source.w + i * w_step * at.k + k : at.w, there);
  }
}

__device__ void load_a(const RescueArguments& at, const Source& source, std::int64_t k, AStage& stage) {
  const int byte = threadIdx.x % a_threads * 16;
#pragma unroll
  for (int i = 0; i < a_copies; ++i) {
    const bool there = source.a[i] != nullptr && k + byte * 2 < at.k;
    copy_16(stage.codes + a_place(threadIdx.x / a_threads + i * a_step, byte), there ? source.a[i] + k / 2 : at.a,
            there);
  }
}

__device__ void end_group() { asm volatile("cp.async.commit_group;"); }

/// Waits until all groups of cp.async but the last one have arrived, for all threads of the block.
__device__ void wait_for_groups() {
  asm volatile("cp.async.wait_group 1;");
  __syncthreads();
}

/// The scale bytes of the two blocks of a stage that a thread converts to bf16. They are 0 beyond K, where the codes
/// are zeros too.
__device__ uint2 two_scales(const RescueArguments& at, const Source& source, std::int64_t k) {
  const std::int64_t block = k / fold_block + threadIdx.x % 2 * 2;
  const std::int64_t blocks = at.k / fold_block;
  if (source.e8m0 == nullptr) return {0, 0};
  return {block < blocks ? source.e8m0[block] : 0U, block + 1 < blocks ? source.e8m0[block + 1] : 0U};
}

/// The power of two that a block of the thread's row is multiplied by, relative to the row's largest exponent: a pair
/// of equal bf16.
__device__ unsigned factor_of(const Source& source, unsigned scale) {
  const int exponent = static_cast<int>(scale) - source.highest + a_shift;
  return exponent < -bias ? 0 : bf16_power(min(exponent, bias));
}

/// Converts a stage's activations to bf16. Each thread converts half a row.
__device__ void decode(const AStage& stage, const Source& source, const uint2& scales, uint4* activations) {
  const int row = threadIdx.x / 2;
#pragma unroll
  for (int block = 0; block < 2; ++block) {
    const int first = threadIdx.x % 2 * 2 + block;
    const uint4 codes = *reinterpret_cast<const uint4*>(stage.codes + a_place(row, first * 16));
    const unsigned words[4]{codes.x, codes.y, codes.z, codes.w};
    const unsigned factor = factor_of(source, block == 0 ? scales.x : scales.y);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const uint2 low = four_bf16(factor, words[i]);
      const uint2 high = four_bf16(factor, words[i] >> 16);
      activations[activations_place(row, first * 4 + i)] = {low.x, low.y, high.x, high.y};
    }
  }
}

// Multiplying.

/// Converts four folded weights to two pairs of bf16.
__device__ uint2 four_weights(unsigned word) {
  if constexpr (w_type == FoldType::e4m3) {
    const unsigned low = __byte_perm(word, 0, 0x1404);
    const unsigned high = __byte_perm(word, 0, 0x3424);
    return {(low >> 4 & 0x07f007f0U) | (low & 0x80008000U), (high >> 4 & 0x07f007f0U) | (high & 0x80008000U)};
  } else {
    const unsigned unsigned_bytes = word ^ 0x80808080U;  // the int8 values plus 128
    const auto number = [&](unsigned place) {
      const float above = std::bit_cast<float>(__byte_perm(unsigned_bytes, 0x4b000000U, 0x7440U | place));
      return std::bit_cast<unsigned>(above - (8388608.0F + 128.0F));
    };
    return {__byte_perm(number(0), number(1), 0x7632), __byte_perm(number(2), number(3), 0x7632)};
  }
}

__device__ void multiply_add(float (&sum)[4], const unsigned (&a)[4], const uint2& w) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(w.x), "r"(w.y));
}

using Sums = float[row_tiles][column_tiles][4];

/// For each of the thread's columns, 16 neighbouring elements along K as pairs of bf16.
struct Weights {
  uint2 pairs[column_tiles][4];
};

__device__ Weights read_weights(const WStage& stage, int byte) {
  Weights weights;
  for (int tile = 0; tile < column_tiles; ++tile) {
    const int column = static_cast<int>(threadIdx.x) / 32 * (tile_columns / 4) + tile * 8 + threadIdx.x % 32 / 4;
    const uint4 words = *reinterpret_cast<const uint4*>(stage.bytes + w_place(column, byte));
    weights.pairs[tile][0] = four_weights(words.x);
    weights.pairs[tile][1] = four_weights(words.y);
    weights.pairs[tile][2] = four_weights(words.z);
    weights.pairs[tile][3] = four_weights(words.w);
  }
  return weights;
}

/// 16 neighbouring elements along K of one row, as pairs of bf16.
struct Activations {
  unsigned pairs[8];
};

__device__ Activations read_activations(const uint4* activations, int row, int first) {
  const uint4 low = activations[activations_place(row, first)];
  const uint4 high = activations[activations_place(row, first + 1)];
  return {{low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w}};
}

/// Adds one stage's products to `sums`. The tile has `rows` wide rows; groups of 16 rows beyond them are skipped.
__device__ void multiply(const WStage& stage, const uint4* activations, int rows, Sums& sums) {
  const int lane = threadIdx.x % 32;
#pragma unroll 1
  for (int k = 0; k < tile_k; k += 64) {
    const int first = k + lane % 4 * 16;
    const Weights weights = read_weights(stage, first);
#pragma unroll
    for (int row = 0; row < row_tiles; ++row) {
      if (row * 16 >= rows) break;
      const Activations upper = read_activations(activations, row * 16 + lane / 4, first / 8);
      const Activations lower = read_activations(activations, row * 16 + 8 + lane / 4, first / 8);
#pragma unroll
      for (int step = 0; step < 4; ++step) {
        const unsigned a[4]{upper.pairs[2 * step], lower.pairs[2 * step], upper.pairs[2 * step + 1],
                            lower.pairs[2 * step + 1]};
#pragma unroll
        for (int column = 0; column < column_tiles; ++column)
          multiply_add(sums[row][column], a, weights.pairs[column][step]);
      }
    }
  }
}

/// The column of C, in its batch, that sum `i` of one of the thread's column tiles belongs to.
__device__ std::int64_t column_of(const Tile& tile, int column_tile, int i) {
  const int lane = threadIdx.x % 32;
  return tile.column + static_cast<int>(threadIdx.x) / 32 * (tile_columns / 4) + column_tile * 8 + lane % 4 * 2 + i % 2;
}

__device__ float w_scale(const RescueArguments& at, const Tile& tile, std::int64_t k, std::int64_t column) {
  const std::int64_t row = tile.batch * at.n + min(column, at.n - 1);
  if constexpr (w_base == FoldBase::chunk) return __ldg(at.w_scales + k / fold_chunk * (at.batch * at.n) + row);
  if constexpr (w_base == FoldBase::tensor) return at.w_wide[row] == nan_row ? not_a_number : __ldg(at.w_scales);
  return __ldg(at.w_scales + row);
}

/// Adds the sums so far to the totals, and sets them to 0. With a base for each chunk, the weights' scales are applied
/// here; otherwise the epilogue applies them.
__device__ void promote(const RescueArguments& at, const Tile& tile, std::int64_t k, Sums& sums, Sums& totals) {
#pragma unroll
  for (int column = 0; column < column_tiles; ++column) {
    float scales[2]{1, 1};
    if constexpr (w_base == FoldBase::chunk)
      for (int i = 0; i < 2; ++i) scales[i] = w_scale(at, tile, k, column_of(tile, column, i));
#pragma unroll
    for (int row = 0; row < row_tiles; ++row)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        totals[row][column][i] = fmaf(sums[row][column][i], scales[i % 2], totals[row][column][i]);
        sums[row][column][i] = 0;
      }
  }
}

// Epilogue.

/// value · 2^exponent. Multiplies in two steps, because 2^exponent itself may lie outside float's range.
__device__ float scaled(float value, int exponent) {
  const int half = exponent / 2;
  const auto power = [](int of) { return std::bit_cast<float>(static_cast<unsigned>(of + bias) << 23); };
  return value * power(half) * power(exponent - half);
}

__device__ float float_of(OUT::Stored stored) { return OUT::decode(stored); }

__device__ void store(const RescueArguments& at, const Tile& tile, const Sums& totals) {
#pragma unroll
  for (int row = 0; row < row_tiles; ++row)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int number = row * 16 + half * 8 + threadIdx.x % 32 / 4;
      if (number >= tile.row_count) continue;
      const std::int64_t place = tile.batch * at.m + tile.rows[number];
      const unsigned highest = at.a_ranges[place] >> 8;
      const int exponent = static_cast<int>(highest) - bias - a_shift - w_shift;
#pragma unroll
      for (int column = 0; column < column_tiles; ++column)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const std::int64_t to = column_of(tile, column, i);
          if (to >= at.n) continue;
          float value = totals[row][column][half * 2 + i];
          if constexpr (w_base != FoldBase::chunk) value *= w_scale(at, tile, 0, to);
          value = highest == nan_byte ? not_a_number : scaled(value, exponent);
          if (HAS_BIAS) value += float_of(reinterpret_cast<const OUT::Stored*>(at.bias)[to]);
          reinterpret_cast<OUT::Stored*>(at.c)[place * at.n + to] = OUT::encode(value);
        }
    }
}

__device__ void compute(const RescueArguments& at, const Tile& tile, Shared& shared) {
  const int count = static_cast<int>((at.k + tile_k - 1) / tile_k);
  const Source source = source_of(at, tile);
  Sums sums{};
  Sums totals{};
  load_w(at, source, 0, shared.w[0]);
  load_a(at, source, 0, shared.a[0]);
  load_a(at, source, tile_k, shared.a[1]);
  end_group();
  load_w(at, source, tile_k, shared.w[1]);
  load_a(at, source, 2 * tile_k, shared.a[2]);
  end_group();
  uint2 scales[2]{two_scales(at, source, tile_k), two_scales(at, source, 2 * tile_k)};  // of the next two stages
  wait_for_groups();
  decode(shared.a[0], source, two_scales(at, source, 0), shared.activations[0]);
  for (int i = 0; i < count; ++i) {
    const std::int64_t k = static_cast<std::int64_t>(i) * tile_k;
    wait_for_groups();
    load_w(at, source, k + 2 * tile_k, shared.w[(i + 2) % w_stages]);
    load_a(at, source, k + 3 * tile_k, shared.a[(i + 3) % a_stages]);
    end_group();
    decode(shared.a[(i + 1) % a_stages], source, scales[0], shared.activations[(i + 1) % 2]);
    scales[0] = scales[1];
    scales[1] = two_scales(at, source, k + 3 * tile_k);
    multiply(shared.w[i % w_stages], shared.activations[i % 2], tile.row_count, sums);
    if (i % stages_of_a_sum == stages_of_a_sum - 1 || i == count - 1) promote(at, tile, k, sums, totals);
  }
  asm volatile("cp.async.wait_group 0;");
  __syncthreads();
  store(at, tile, totals);
}

/// Computes this block's share of the tiles of one batch. `turn` numbers the tiles over all batches, and block b takes
/// those with turn % gridDim.x == b.
__device__ void rescue_batch(const RescueArguments& at, std::int64_t batch, std::int64_t& turn, Shared& shared) {
  const std::int64_t column_count = (at.n + tile_columns - 1) / tile_columns;
  int first = 0;
  int found = 0;
  do {
    found = list_wide_rows(at, batch, first, shared);
    const int listed = min(found - first, listed_rows);
    for (int row = 0; row < listed; row += tile_rows)
      for (std::int64_t column = 0; column < column_count; ++column)
        if (turn++ % gridDim.x == blockIdx.x)
          compute(at, {shared.rows + row, min(listed - row, tile_rows), batch, column * tile_columns}, shared);
    __syncthreads();
    first += listed_rows;
  } while (first < found);
}

extern "C" __global__ void __launch_bounds__(threads) rescue(RescueArguments at) {
  extern __shared__ __align__(128) unsigned char memory[];
  // Folding wrote the flags. They can be read before pdl_wait(), because the product kernel before this one has already
  // waited for folding.
  const bool any = any_wide(at);
  pdl_wait();
  if (!any) return;
  std::int64_t turn = 0;
  for (std::int64_t batch = 0; batch < at.batch; ++batch)
    rescue_batch(at, batch, turn, *reinterpret_cast<Shared*>(memory));
}
