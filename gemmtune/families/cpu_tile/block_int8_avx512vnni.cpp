// AVX-512 VNNI: rows of int8 with weights in scaled blocks. Weights are decoded to unsigned bytes, in registers for few
// rows and in memory for many; rows are broadcast from memory.
#include "gemmtune/families/cpu_tile/block_avx512_decoded.h"
#include "gemmtune/families/cpu_tile/block_avx512_rows.h"

namespace gemmtune::cpu_tile {
namespace {

/// Codes of four bits as unsigned bytes: 2·E2M1 + 12, and int4 + 8.
alignas(16) constexpr unsigned char e2m1_bytes[16] = {12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0};
alignas(16) constexpr unsigned char int4_bytes[16] = {8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7};

template <BlockWeights W>
inline __m512i decode(__m512i nibbles) {
  const unsigned char* table = W == BlockWeights::q4_0 ? int4_bytes : e2m1_bytes;
  const __m512i all = _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(table)));
  return _mm512_shuffle_epi8(all, _mm512_and_si512(nibbles, _mm512_set1_epi8(15)));
}

/// Elements [8·g, 8·g + 8) of a block as unsigned bytes.
struct Eight {
  __m512i first;  // four of them for each column
  __m512i second;
};

template <BlockWeights W>
inline Eight decode_eight(const std::byte* values, int g) {
  if constexpr (has_nibbles(W)) {
    const __m512i codes = bytes_at(values + 64 * g);
    return {.first = decode<W>(codes), .second = decode<W>(_mm512_srli_epi16(codes, 4))};
  }
  const __m512i flip = _mm512_set1_epi8(-128);
  return {.first = _mm512_xor_si512(bytes_at(values + 128 * g), flip),
          .second = _mm512_xor_si512(bytes_at(values + 128 * g + 64), flip)};
}

struct DotVnni : Avx512Sums {
  using Sum = __m512i;
  static constexpr BlockRows form = BlockRows::int8;
  static constexpr int words = 8;

  static Sum start(const BlockAt& at, int group, int row) { return _mm512_set1_epi32(corrections_of(at, group)[row]); }
  static Sum multiply(Sum sum, __m512i w, __m512i a) { return _mm512_dpbusd_epi32(sum, w, a); }

  template <BlockWeights W>
  static void decode(const std::byte* values, std::byte* out) {
    GT_UNROLL_ALL for (int g = 0; g < 4; ++g) {
      const Eight w = decode_eight<W>(values, g);
      _mm512_storeu_si512(out + 128 * g, w.first);
      _mm512_storeu_si512(out + 128 * g + 64, w.second);
    }
  }

  /// Of decoded integers: the scales of E2M1 are doubled. Of exponents that are to be added: as bits.
  template <BlockWeights W, BlockScaling S>
  static Float column_scales(const std::byte* from, int group) {
    if constexpr (S == BlockScaling::add_exponents) {
      const __m512i bytes = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
      return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_sub_epi32(bytes, _mm512_set1_epi32(128)), 23));
    }
    const __m512 scales = block_scales<W>(from, group);
    constexpr bool doubled = W == BlockWeights::mxfp4 || W == BlockWeights::nvfp4;
    return doubled ? _mm512_mul_ps(scales, _mm512_set1_ps(0.5F)) : scales;
  }

  template <BlockScaling S>
  static Float scaled(Float sum, Sum dots, Float columns, const BlockAt& at, int row) {
    const float* of_row = scales_of(at) + row;
    if constexpr (S == BlockScaling::add_exponents) {
      const __m512i bits = broadcast_at(reinterpret_cast<const std::byte*>(of_row));
      const __m512 scale = _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(columns), bits));
      return _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots), scale, sum);
    }
    return _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots), _mm512_mul_ps(columns, _mm512_set1_ps(*of_row)), sum);
  }

  /// The products of elements [8·g, 8·g + 8).
  template <BlockWeights W, int Rows>
  static void add_eight(const BlockAt& at, int g, Sum (&dots)[Rows]) {
    constexpr int bytes = has_nibbles(W) ? 64 : 128;
    GT_UNROLL_ALL for (int line = 0; line < bytes; line += 64) prefetch(at.values + bytes * g + line);
    const Eight w = decode_eight<W>(at.values, g);
    const std::byte* a = at.a + 8 * g;
    GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
      dots[r] = multiply(dots[r], w.first, broadcast_at(a + r * block_length));
    }
    GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
      dots[r] = multiply(dots[r], w.second, broadcast_at(a + r * block_length + 4));
    }
  }

  template <BlockWeights W, BlockScaling S, int Rows>
  static void add(const BlockAt& at, Float (&sums)[Rows]) {
    constexpr int groups = groups_of(W);
    prefetch(at.scales);
    GT_UNROLL_ALL for (int group = 0; group < groups; ++group) {
      Sum dots[Rows];
      GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) dots[r] = start(at, group, r);
      GT_UNROLL_ALL for (int step = 0; step < 4 / groups; ++step) add_eight<W>(at, group * 4 / groups + step, dots);
      const Float columns = column_scales<W, S>(at.scales, group);
      GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) sums[r] = scaled<S>(sums[r], dots[r], columns, at, r);
    }
  }
};

}  // namespace

const BlockKernels& block_int8_avx512vnni() {
  static constexpr DecodedKernels decoded = decoded_kernels<DotVnni>();
  static constexpr BlockKernels kernels = block_kernels<DotVnni>(&quantise_row, &decoded);
  return kernels;
}

}  // namespace gemmtune::cpu_tile
