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

/// A hash of words that come one by one: the sum of their products with odd numbers, which do not wait for each other.
class Hash {
 public:
  void add(std::uint64_t word) noexcept {
    sum_ += word * factor_;
    factor_ += 2 * 0x9E3779B97F4A7C15ULL;
  }

  /// The upper bits, in which all words have a part, are mixed into the lower ones.
  std::uint64_t value() const noexcept {
    const auto folded = (sum_ ^ (sum_ >> 32)) * 0x9E3779B97F4A7C15ULL;
    return folded ^ (folded >> 32);
  }

 private:
  std::uint64_t sum_{};
  std::uint64_t factor_{0xD1B54A32D192ED03ULL};
};

}  // namespace

void CallKey::finish() noexcept {
  Hash made;
  for (std::size_t i = 0; i < count; ++i) made.add(words[i]);
  hash = made.value();
}

/// Word by word: the processor cannot forward words that were just written to a wider load, as memcmp has.
bool CallKey::operator==(const CallKey& other) const noexcept {
  if (hash != other.hash || count != other.count) return false;
  std::uint64_t difference = 0;
  for (std::size_t i = 0; i < count; ++i) difference |= words[i] ^ other.words[i];
  return difference == 0;
}

CallBytes::CallBytes(const cublaslt::Library& library)
    : operation_(probed<cublasLtMatmulDescOpaque_t>([&](cublasLtMatmulDescOpaque_t& made) {
        return library.desc_init(&made, sizeof made, CUBLAS_COMPUTE_32F, CUDA_R_32F) == CUBLAS_STATUS_SUCCESS;
      })),
      layout_(probed<cublasLtMatrixLayoutOpaque_t>([&](cublasLtMatrixLayoutOpaque_t& made) {
        return library.layout_init(&made, sizeof made, CUDA_R_32F, 1, 1, 1) == CUBLAS_STATUS_SUCCESS;
      })) {}

template <typename Use>
void CallBytes::for_words(cublasLtHandle_t handle, const Descriptors& descriptors, const Use& use) const noexcept {
  use(reinterpret_cast<std::uintptr_t>(handle));
  for (std::size_t i = 0; i < operation_.count; ++i) use(descriptors.operation->data[i] & operation_.masks[i]);
  for (const auto* layout : {descriptors.a, descriptors.b, descriptors.c, descriptors.d})
    for (std::size_t i = 0; i < layout_.count; ++i) use(layout->data[i] & layout_.masks[i]);
}

std::uint64_t CallBytes::hash(cublasLtHandle_t handle, const Descriptors& descriptors) const noexcept {
  Hash made;
  for_words(handle, descriptors, [&](std::uint64_t word) { made.add(word); });
  return made.value();
}

bool CallBytes::is_of(const CallKey& key, cublasLtHandle_t handle, const Descriptors& descriptors) const noexcept {
  std::uint64_t difference = 0;
  const auto* known = key.words.data();
  for_words(handle, descriptors, [&](std::uint64_t word) { difference |= word ^ *known++; });
  return difference == 0;
}

void CallBytes::read(cublasLtHandle_t handle, const Descriptors& descriptors, CallKey& key) const noexcept {
  key.count = 0;
  for_words(handle, descriptors, [&](std::uint64_t word) { key.add(word); });
  key.finish();
}

}  // namespace gemmtune::preload
