#include "gemmtune/verify/negate.h"

#include <cstdint>
#include <cstring>

#include "gemmtune/core/error.h"
#include "gemmtune/core/parallel.h"

namespace gemmtune {
namespace {

constexpr std::int64_t word_bytes = sizeof(std::uint32_t);
constexpr std::int64_t words_at_once = std::int64_t{1} << 16;

/// A word of up to four bytes.
template <typename Change>
void change_word(std::byte* stored, std::size_t bytes, const Change& change) {
  std::uint32_t word = 0;
  std::memcpy(&word, stored, bytes);
  word = change(word);
  std::memcpy(stored, &word, bytes);
}

template <typename Change>
void change_words(std::span<std::byte> stored, const Change& change) {
  const auto words = static_cast<std::int64_t>(stored.size()) / word_bytes;
  std::byte* const data = stored.data();
  parallel_pieces(words, words_at_once, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = begin; i < end; ++i) change_word(data + i * word_bytes, word_bytes, change);
  });
  const auto rest = stored.subspan(static_cast<std::size_t>(words * word_bytes));
  if (!rest.empty()) change_word(rest.data(), rest.size(), change);
}

}  // namespace

bool can_negate(DType type) { return type != DType::i4; }

Negation negation_of(DType type) {
  switch (type) {
    case DType::f32:
    case DType::tf32:
      return {SignRule::flip_bits, 0x80000000U};
    case DType::f16:
    case DType::bf16:
      return {SignRule::flip_bits, 0x80008000U};
    case DType::e4m3:
      return {SignRule::flip_bits, 0x80808080U};
    case DType::e2m1:
      return {SignRule::flip_bits, 0x88888888U};
    case DType::e4m3fnuz:
      return {SignRule::flip_but_zero};
    case DType::i8:
      return {SignRule::twos_complement8};
    case DType::f64:
    case DType::i32:
    case DType::e8m0:
    case DType::i4:
      break;
  }
  fail(ErrorCode::internal, "{} holds no matrix elements that have negatives", to_string(type));
}

void negate(DType type, std::span<std::byte> stored) {
  const auto negation = negation_of(type);
  if (negation.rule == SignRule::flip_bits)  // a loop of its own, which vectors can do
    return change_words(stored, [bits = negation.sign_bits](std::uint32_t word) { return word ^ bits; });
  change_words(stored, [negation](std::uint32_t word) { return negation.word(word); });
}

}  // namespace gemmtune
