// AVX-VNNI: vpdpbusd on 256 bits, for cores without AVX-512 (Alder Lake and later).
#include "gemmtune/families/cpu_tile/block_int8_avx2.h"

namespace gemmtune::cpu_tile {
namespace {

struct VnniMultiplier {
  static constexpr bool signed_bytes = false;

  template <int Rows>
  static void add_four(const std::byte* a, __m256i w, __m256i (&dots)[Rows]) {
    GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
      dots[r] = _mm256_dpbusd_avx_epi32(dots[r], w, broadcast_at(a + r * block_length));
    }
  }

  template <int Rows>
  static void add_small(const std::byte* a, const __m256i (&w)[4], __m256i (&dots)[Rows]) {
    GT_UNROLL_ALL for (int i = 0; i < 4; ++i) add_four(a + 4 * i, w[i], dots);
  }

  template <int Rows>
  static void add_bytes(const std::byte* a, __m256i w, __m256i (&dots)[Rows]) {
    add_four(a, _mm256_xor_si256(w, _mm256_set1_epi8(-128)), dots);
  }
};

}  // namespace

const BlockKernels& block_int8_avxvnni() {
  static constexpr BlockKernels kernels = block_kernels<DotBytes<VnniMultiplier>>(&pack_bytes_row);
  return kernels;
}

}  // namespace gemmtune::cpu_tile
