// Folds MXFP4: see kernels/fold.h and kernels/fold_rules.h. Compiled once for each FOLD_TYPE, FOLD_BASE, FOLD_FILL,
// VALUES_LAYOUT and E8M0_LAYOUT.
//
// A thread block folds a row, or a segment of it. It first reads all the scales of the row (1 KB for K = 32768), while
// its own values are being loaded. Only if the row does not fit by its scales alone does the block look at values too,
// because blocks of zeros do not count.

#include <bit>
#include <cstdint>

#include "gemmtune/gemm/element_codecs.h"
#include "gemmtune/gemm/shuffle_index.h"
#include "gemmtune/kernels/e2m1_bits.cuh"
#include "gemmtune/kernels/fold_arguments.h"
#include "gemmtune/kernels/fold_rules.h"
#include "gemmtune/kernels/pdl.cuh"

using namespace gemmtune;

constexpr FoldType type = FoldType::FOLD_TYPE;
constexpr FoldBase base_of = FoldBase::FOLD_BASE;
constexpr bool shuffled_values = InputLayout::VALUES_LAYOUT == InputLayout::shuffled;
constexpr bool shuffled_e8m0 = InputLayout::E8M0_LAYOUT == InputLayout::shuffled;

constexpr FoldWindow window = fold_window(type);
constexpr int unit = type == FoldType::bf16 ? 8 : 16;  // elements that a thread reads at once; they become 16 bytes
constexpr int unit_words = unit / 8;
constexpr int units_at_once = 4;
constexpr int chunk_blocks = fold_chunk / fold_block;
constexpr unsigned all_lanes = 0xffffffffU;

/// A range of E8M0 bytes. It is empty while low > high.
struct Range {
  unsigned low{255};
  unsigned high{};
  unsigned of_tensor{};  // the highest byte of all rows; only with a tensor base

  __device__ void add(unsigned byte) {
    low = min(low, byte);
    high = max(high, byte);
  }
  __device__ void add(const Range& other) {
    low = min(low, other.low);
    high = max(high, other.high);
    of_tensor = max(of_tensor, other.of_tensor);
  }
  __device__ void add_word(unsigned word) {
    for (int byte = 0; byte < 4; ++byte) add((word >> (8 * byte)) & 255U);
  }
  __device__ bool empty() const { return low > high; }
  __device__ bool has_nan() const { return high == nan_byte; }
};

/// A range as FoldLayout::ranges stores it.
__device__ unsigned short stored(const Range& range) {
  return static_cast<unsigned short>(range.empty() ? bias | bias << 8 : range.low | range.high << 8);
}

enum class Fate { folded, wide, nan };

/// Whether a row or a chunk is folded, wide or NaN, and its base.
struct Verdict {
  Fate fate{};
  int base{};
};

__device__ Verdict judged(Range range, Range bounds) {
  if (range.empty()) return {Fate::folded, 0};
  if (range.has_nan()) return {Fate::nan, 0};
  const int low = static_cast<int>(range.low) - bias;
  const int high = static_cast<int>(range.high) - bias;
  const int base =
      fold_base(type, FoldFill::FOLD_FILL, static_cast<int>(bounds.low) - bias, static_cast<int>(bounds.high) - bias);
  return {fits_window(type, base, low, high) ? Fate::folded : Fate::wide, base};
}

__device__ float scale_of(const Verdict& verdict) {
  if (verdict.fate == Fate::nan) return not_a_number;
  if (verdict.fate == Fate::wide) return 0.0F;
  return std::bit_cast<float>(static_cast<unsigned>(fold_scale_exponent(type, verdict.base) + bias) << 23);
}

// Reading.

struct Codes {
  unsigned word[unit_words];
};

__device__ const unsigned char* value_at(const FoldArguments& at, std::int64_t row, std::int64_t byte) {
  const std::int64_t row_bytes = at.k / 2;
  return at.values + (shuffled_values ? shuffled_weight_index(row, byte, row_bytes) : row * row_bytes + byte);
}

__device__ unsigned e8m0_at(const FoldArguments& at, std::int64_t row, int block) {
  const std::int64_t blocks = at.k / fold_block;
  return at.e8m0[shuffled_e8m0 ? shuffled_scale_index(row, block, (blocks + 7) / 8 * 8) : row * blocks + block];
}

__device__ Codes codes_at(const FoldArguments& at, std::int64_t row, int number) {
  const auto* from = reinterpret_cast<const unsigned*>(value_at(at, row, number * (unit / 2)));
  if constexpr (unit_words == 1) {
    return {*from};
  } else {
    const uint2 both = *reinterpret_cast<const uint2*>(from);
    return {both.x, both.y};
  }
}

/// Whether all values of a block (32 values, 16 bytes) are ±0.
__device__ bool is_zero_block(const FoldArguments& at, std::int64_t row, int block) {
  const uint4 codes = *reinterpret_cast<const uint4*>(value_at(at, row, block * (fold_block / 2)));
  return ((codes.x | codes.y | codes.z | codes.w) & 0x77777777U) == 0;
}

// Judging rows and chunks by their scales.

/// The union of the ranges of all threads of the block, for every thread. Each call in a kernel has its own `use`, and
/// so its own shared memory.
template <int use>
__device__ Range block_range(Range range) {
  __shared__ Range of_warps[32];
  range.low = __reduce_min_sync(all_lanes, range.low);
  range.high = __reduce_max_sync(all_lanes, range.high);
  if constexpr (base_of == FoldBase::tensor) range.of_tensor = __reduce_max_sync(all_lanes, range.of_tensor);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = range;
  __syncthreads();
  for (unsigned warp = 0; warp < blockDim.x / 32; ++warp) range.add(of_warps[warp]);
  return range;
}

/// The range of all scales of a row, for every thread of the block. Reads four scales at once if their layout is plain
/// and their number is a multiple of 4.
__device__ Range row_range(const FoldArguments& at, std::int64_t row) {
  Range range;
  if constexpr (base_of == FoldBase::tensor)  // find_highest wrote at.highest
    for (int i = threadIdx.x; i < at.highest_count; i += blockDim.x)
      range.of_tensor = max(range.of_tensor, at.highest[i]);
  const int blocks = static_cast<int>(at.k / fold_block);
  if (!shuffled_e8m0 && blocks % 4 == 0) {
    const auto* words = reinterpret_cast<const unsigned*>(at.e8m0 + row * blocks);
    for (int i = threadIdx.x; i < blocks / 4; i += blockDim.x) range.add_word(words[i]);
  } else {
    for (int block = threadIdx.x; block < blocks; block += blockDim.x) range.add(e8m0_at(at, row, block));
  }
  return block_range<0>(range);
}

/// The range of a row's scales without its blocks of zeros. A block of zeros counts if its scale is NaN.
__device__ Range nonzero_range(const FoldArguments& at, std::int64_t row) {
  Range range;
  for (int block = threadIdx.x; block < at.k / fold_block; block += blockDim.x)
    if (e8m0_at(at, row, block) == nan_byte || !is_zero_block(at, row, block)) range.add(e8m0_at(at, row, block));
  return block_range<1>(range);
}

/// The range that a tensor base is chosen for: as wide as the type's window, up to the tensor's highest scale.
__device__ Range tensor_window(unsigned highest) {
  const unsigned reach = static_cast<unsigned>(window.highest - window.lowest);
  return {highest > reach ? highest - reach : 0, highest};
}

/// The verdict on a whole row. The block that folds the row's `first` segment also stores the row's range and
/// FoldLayout::wide, and the scale: of the row, or in row 0 of the tensor.
__device__ Verdict row_verdict(const FoldArguments& at, std::int64_t row, bool first) {
  Range range = row_range(at, row);
  const Range bounds = tensor_window(range.of_tensor);
  const auto judge = [&] { return judged(range, base_of == FoldBase::tensor ? bounds : range); };
  Verdict verdict = judge();
  if (verdict.fate == Fate::wide) {
    range = nonzero_range(at, row);
    verdict = judge();
  }
  if (first && threadIdx.x == 0) {
    at.ranges[row] = stored(range);
    const bool nan_without_a_place = verdict.fate == Fate::nan && base_of == FoldBase::tensor && type == FoldType::int8;
    const bool wide = verdict.fate == Fate::wide || nan_without_a_place;
    at.wide[row] = wide ? wide_row : verdict.fate == Fate::nan ? nan_row : 0;
    if (base_of == FoldBase::row) at.scales[row] = scale_of(verdict);
    if (base_of == FoldBase::tensor && row == 0) at.scales[0] = scale_of({Fate::folded, judged(bounds, bounds).base});
  }
  return verdict;
}

/// The range of the scales of a chunk's blocks. With `nonzero`, blocks of zeros are left out.
template <bool nonzero>
__device__ Range chunk_range(const FoldArguments& at, std::int64_t row, int chunk) {
  Range range;
  const int blocks = static_cast<int>(at.k / fold_block);
  if (!nonzero && !shuffled_e8m0 && blocks % chunk_blocks == 0) {
    range.add_word(reinterpret_cast<const unsigned*>(at.e8m0 + row * blocks)[chunk]);
    return range;
  }
  for (int block = chunk * chunk_blocks; block < min((chunk + 1) * chunk_blocks, blocks); ++block)
    if (!nonzero || !is_zero_block(at, row, block)) range.add(e8m0_at(at, row, block));
  return range;
}

/// What judge_chunks found about a row.
struct ChunkVerdict {
  bool wide{};    // whether any chunk of the row is wide
  Range range{};  // of the chunks that this thread judged
};

__device__ int chunks_of(const FoldArguments& at) { return static_cast<int>((at.k + fold_chunk - 1) / fold_chunk); }

/// Judges each chunk of a row, and writes the verdicts to `verdicts` in shared memory, which has one for each chunk.
__device__ ChunkVerdict judge_chunks(const FoldArguments& at, std::int64_t row, Verdict* verdicts) {
  ChunkVerdict all;
  for (int chunk = threadIdx.x; chunk < chunks_of(at); chunk += blockDim.x) {
    Range here = chunk_range<false>(at, row, chunk);
    Verdict verdict = judged(here, here);
    if (verdict.fate == Fate::wide) {
      here = chunk_range<true>(at, row, chunk);
      verdict = judged(here, here);
    }
    verdicts[chunk] = verdict;
    all.range.add(here);
    all.wide = all.wide || verdict.fate == Fate::wide;
  }
  all.wide = __syncthreads_or(all.wide) != 0;
  return all;
}

/// Stores a row's scales, range and FoldLayout::wide. Called after the stores of the values have been issued.
__device__ void store_chunks(const FoldArguments& at, std::int64_t row, const Verdict* verdicts,
                             const ChunkVerdict& all) {
  for (int chunk = threadIdx.x; chunk < chunks_of(at); chunk += blockDim.x)
    at.scales[chunk * at.rows + row] = all.wide ? 0.0F : scale_of(verdicts[chunk]);
  const Range range = all.wide ? nonzero_range(at, row) : block_range<2>(all.range);
  if (threadIdx.x != 0) return;
  at.ranges[row] = stored(range);
  at.wide[row] = all.wide ? wide_row : 0;
}

// Converting. A block's shift is its exponent minus the base. For e4m3 and int8, a table in shared memory holds the
// folded E2M1 values for each shift, and prmt selects bytes of the table by the codes.

/// The folded magnitudes 0, 0.5, 1, 1.5, 2, 3, 4, 6 under one shift, a byte each. Only int8 uses the negative ones.
struct Picks {
  unsigned low, high, negative_low, negative_high;
};

constexpr int table_size = type == FoldType::bf16 ? 1 : window.highest - window.lowest + 1;

/// The folded byte of an E2M1 code, sign included, under a shift.
__device__ unsigned char folded_byte(int shift, int code) {
  const float power = std::bit_cast<float>(static_cast<unsigned>(shift + bias) << 23);
  const float value = E2M1Codec::decode(static_cast<unsigned char>(code)) * power;
  if constexpr (type == FoldType::int8) return static_cast<unsigned char>(I8Codec::encode(2.0F * value));
  return E4M3Codec::encode(value);
}

__device__ void fill(Picks* table) {
  if constexpr (type != FoldType::bf16)
    for (int i = threadIdx.x; i < table_size * 16; i += blockDim.x)
      reinterpret_cast<unsigned char*>(table)[i] = folded_byte(i / 16 + window.lowest, i % 16);
}

/// Folds the four codes in the low half of a word to four bytes.
__device__ unsigned four_bytes(const Picks& picks, unsigned codes) {
  const unsigned places = codes & 0x7777U;
  const unsigned magnitudes = __byte_perm(picks.low, picks.high, places);
  const unsigned signs = signs_of(codes);
  if constexpr (type == FoldType::int8) {
    unsigned negative;  // 0xff in each negative byte. Not __byte_perm, which cannot replicate signs
    asm("prmt.b32 %0, %1, 0, 0xba98;" : "=r"(negative) : "r"(signs));
    const unsigned opposites = __byte_perm(picks.negative_low, picks.negative_high, places);
    return (magnitudes & ~negative) | (opposites & negative);
  }
  return magnitudes | (signs & 0x80808080U);
}

__device__ uint4 folded(const Picks* table, Codes codes, int shift) {
  if constexpr (type == FoldType::bf16) {
    const unsigned factors = shift > bias ? 0x7fc07fc0U : bf16_power(shift);
    const uint2 low = four_bf16(factors, codes.word[0]);
    const uint2 high = four_bf16(factors, codes.word[0] >> 16);
    return {low.x, low.y, high.x, high.y};
  } else {
    const Picks picks = table[shift - window.lowest];
    return {four_bytes(picks, codes.word[0]), four_bytes(picks, codes.word[0] >> 16), four_bytes(picks, codes.word[1]),
            four_bytes(picks, codes.word[1] >> 16)};
  }
}

/// 16 bytes of the values of a row or chunk that is not folded.
__device__ uint4 filler(Fate fate) {
  if (fate != Fate::nan || base_of != FoldBase::tensor || type == FoldType::int8) return {0, 0, 0, 0};
  const unsigned nans = type == FoldType::e4m3 ? 0x7f7f7f7fU : 0x7fc07fc0U;
  return {nans, nans, nans, nans};
}

/// The shift of a block with this scale byte. It may be clamped to the window, because blocks outside of
/// it hold only zeros.
__device__ int shift_of(unsigned byte, const Verdict& verdict) {
  const int shift = static_cast<int>(byte) - bias - verdict.base;
  if constexpr (base_of == FoldBase::none) return shift;  // 128 for a NaN
  return min(max(shift, window.lowest), window.highest);
}

extern "C" __global__ void BOUNDS fold(FoldArguments at) {
  extern __shared__ Verdict of_chunks[];
  __shared__ Picks table[table_size];
  const std::int64_t row = blockIdx.x;
  const int first = static_cast<int>(blockIdx.y) * at.units_of_segment + static_cast<int>(threadIdx.x);
  const int end = min((static_cast<int>(blockIdx.y) + 1) * at.units_of_segment, static_cast<int>(at.k / unit));

  pdl_launch_dependents();
  pdl_wait();
  Codes codes[units_at_once];
  unsigned bytes[units_at_once];
#pragma unroll
  for (int i = 0; i < units_at_once; ++i) {
    const int number = first + i * static_cast<int>(blockDim.x);
    if (number >= end) continue;
    codes[i] = codes_at(at, row, number);
    bytes[i] = e8m0_at(at, row, number * unit / fold_block);
  }
  fill(table);
  Verdict verdict{};
  ChunkVerdict chunks;
  if constexpr (base_of == FoldBase::chunk)
    chunks = judge_chunks(at, row, of_chunks);
  else if constexpr (base_of != FoldBase::none)
    verdict = row_verdict(at, row, blockIdx.y == 0);
  auto* to = reinterpret_cast<uint4*>(at.folded) + row * (at.k / unit);
#pragma unroll
  for (int i = 0; i < units_at_once; ++i) {
    const int number = first + i * static_cast<int>(blockDim.x);
    if (number >= end) continue;
    if constexpr (base_of == FoldBase::chunk)
      verdict = chunks.wide ? Verdict{Fate::wide, 0} : of_chunks[number * unit / fold_chunk];
    to[number] =
        verdict.fate == Fate::folded ? folded(table, codes[i], shift_of(bytes[i], verdict)) : filler(verdict.fate);
  }
  if constexpr (base_of == FoldBase::chunk)
    if (blockIdx.y == 0) store_chunks(at, row, of_chunks, chunks);
}

/// Writes at.highest[blockIdx.x]: the highest of the scale bytes that the thread block read, NaN left out. There are
/// `bytes` scale bytes.
extern "C" __global__ void find_highest(FoldArguments at, std::int64_t bytes) {
  Range range;
  const auto see = [&](unsigned byte) {
    if (byte != nan_byte) range.add(byte);
  };
  const std::int64_t thread = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const auto* words = reinterpret_cast<const uint4*>(at.e8m0);
  for (std::int64_t i = thread; i < bytes / 16; i += threads) {
    const uint4 four = __ldg(words + i);
    const unsigned each[4]{four.x, four.y, four.z, four.w};
    for (const unsigned word : each)
      for (int byte = 0; byte < 4; ++byte) see((word >> (8 * byte)) & 255U);
  }
  if (thread < bytes % 16) see(at.e8m0[bytes / 16 * 16 + thread]);
  range = block_range<3>(range);
  if (threadIdx.x == 0) at.highest[blockIdx.x] = range.high;
}
