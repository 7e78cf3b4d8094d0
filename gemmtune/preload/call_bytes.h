// The bytes of a call's descriptors, by which a repeated call is recognised without asking the library for its forty
// attributes. Descriptors of equal bytes state the same call. The library leaves some bytes of a descriptor as they
// happen to be: these do not count.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gemmtune/families/cublaslt/library.h"
#include "gemmtune/preload/call_reader.h"

namespace gemmtune::preload {

/// Which bits of a structure its library sets, found by initialising one structure over zeros and one over ones.
template <std::size_t Words>
struct SetBits {
  std::array<std::uint64_t, Words> masks{};
  std::size_t count{};  // of words; those after it are never read
};

/// What identifies a call: its words are equal if the call is.
struct CallKey {
  static constexpr std::size_t most_words =
      1 + (sizeof(cublasLtMatmulDescOpaque_t) + 4 * sizeof(cublasLtMatrixLayoutOpaque_t)) / 8;

  std::array<std::uint64_t, most_words> words;  // only the first `count` are set
  std::size_t count{};
  std::uint64_t hash{};

  void add(std::uint64_t word) noexcept { words[count++] = word; }
  void finish() noexcept;  // computes the hash
  bool operator==(const CallKey& other) const noexcept;
};

class CallBytes {
 public:
  explicit CallBytes(const cublaslt::Library& library);

  /// False if the library does not say what it sets. No call is then recognised.
  bool is_known() const { return operation_.count > 0 && layout_.count > 0; }

  /// The hash of the key that read() would give.
  std::uint64_t hash(cublasLtHandle_t handle, const Descriptors& descriptors) const noexcept;

  /// Whether the key is what read() would give. The key's hash must be that of the call.
  bool is_of(const CallKey& key, cublasLtHandle_t handle, const Descriptors& descriptors) const noexcept;

  /// The handle, and the bits of the descriptors that the library sets.
  void read(cublasLtHandle_t handle, const Descriptors& descriptors, CallKey& key) const noexcept;

 private:
  /// Calls `use` with each word of the key in turn.
  template <typename Use>
  void for_words(cublasLtHandle_t handle, const Descriptors& descriptors, const Use& use) const noexcept;

  SetBits<sizeof(cublasLtMatmulDescOpaque_t) / 8> operation_{};
  SetBits<sizeof(cublasLtMatrixLayoutOpaque_t) / 8> layout_{};
};

}  // namespace gemmtune::preload
