#include "gemmtune/preload/call_bytes.h"

#include <cstring>

namespace gemmtune::preload {
namespace {

/// `init` returns whether it initialised the structure.
template <typename Opaque, typename Init>
SetBits<sizeof(Opaque) / 8> probed(const Init& init) {
  Opaque over_zeros;
  Opaque over_ones;
  std::memset(&over_zeros, 0, sizeof over_zeros);
  std::memset(&over_ones, 0xff, sizeof over_ones);
  SetBits<sizeof(Opaque) / 8> bits;
  if (!init(over_zeros) || !init(over_ones)) return bits;
  for (std::size_t i = 0; i < bits.masks.size(); ++i) {
    bits.masks[i] = ~(over_zeros.data[i] ^ over_ones.data[i]);
    if (bits.masks[i] != 0) bits.count = i + 1;
  }
  return bits;
}

template <std::size_t Words>
void add_set_bits(const SetBits<Words>& bits, const std::uint64_t* from, CallKey& key) noexcept {
  for (std::size_t i = 0; i < bits.count; ++i) key.words[key.count + i] = from[i] & bits.masks[i];
  key.count += bits.count;
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) noexcept { return (hash ^ word) * 0x9E3779B97F4A7C15ULL; }

/// Four chains, because one would wait for each multiplication.
std::uint64_t hash_of(const std::uint64_t* words, std::size_t count) noexcept {
  std::array<std::uint64_t, 4> chains{1, 2, 3, 4};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (std::size_t j = 0; j < 4; ++j) chains[j] = mixed(chains[j] ^ (chains[j] >> 29), words[i + j]);
  for (; i < count; ++i) chains[0] = mixed(chains[0] ^ (chains[0] >> 29), words[i]);
  auto hash = chains[0];
  for (std::size_t j = 1; j < 4; ++j) hash = mixed(hash ^ (hash >> 29), chains[j]);
  return hash ^ (hash >> 32);
}

}  // namespace

void CallKey::finish() noexcept { hash = hash_of(words.data(), count); }

bool CallKey::operator==(const CallKey& other) const noexcept {
  return hash == other.hash && count == other.count &&
         std::memcmp(words.data(), other.words.data(), count * sizeof(std::uint64_t)) == 0;
}

CallBytes::CallBytes(const cublaslt::Library& library)
    : operation_(probed<cublasLtMatmulDescOpaque_t>([&](cublasLtMatmulDescOpaque_t& made) {
        return library.desc_init(&made, sizeof made, CUBLAS_COMPUTE_32F, CUDA_R_32F) == CUBLAS_STATUS_SUCCESS;
      })),
      layout_(probed<cublasLtMatrixLayoutOpaque_t>([&](cublasLtMatrixLayoutOpaque_t& made) {
        return library.layout_init(&made, sizeof made, CUDA_R_32F, 1, 1, 1) == CUBLAS_STATUS_SUCCESS;
      })) {}

void CallBytes::read(cublasLtHandle_t handle, const Descriptors& descriptors, CallKey& key) const noexcept {
  key.count = 0;
  key.add(reinterpret_cast<std::uintptr_t>(handle));
  add_set_bits(operation_, descriptors.operation->data, key);
  for (const auto* layout : {descriptors.a, descriptors.b, descriptors.c, descriptors.d})
    add_set_bits(layout_, layout->data, key);
  key.finish();
}

}  // namespace gemmtune::preload
