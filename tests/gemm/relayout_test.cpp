#include "gemmtune/gemm/relayout.h"

#include <gtest/gtest.h>

#include <numeric>

#include "gemmtune/gemm/draw.h"

namespace gemmtune {
namespace {

std::vector<std::byte> numbered(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i);
  return bytes;
}

constexpr auto gap = static_cast<int>(gap_byte);

TEST(Relayout, PutsRowsApartAndFillsTheGaps) {
  const auto matrix = stored_a(parse_problem("2x4x3:int8:int8:f32:batch=2:lda=4:stride_a=9"));
  const auto stored = to_stored(numbered(12), matrix, Major::k);
  std::vector<int> values;
  for (const auto byte : stored) values.push_back(static_cast<int>(byte));
  EXPECT_EQ(values, (std::vector{0, 1, 2, gap, 3, 4, 5, gap, gap, 6, 7, 8, gap, 9, 10, 11}));
  EXPECT_EQ(to_plain(stored, matrix, Major::k), numbered(12));
}

TEST(Relayout, TransposesWhatIsStoredAcrossK) {
  const auto matrix = stored_a(parse_problem("2x4x3:int8:int8:f32:tt"));
  const auto stored = to_stored(numbered(6), matrix, Major::mn);
  EXPECT_EQ(stored, (std::vector{std::byte{0}, std::byte{3}, std::byte{1}, std::byte{4}, std::byte{2}, std::byte{5}}));
  EXPECT_EQ(to_plain(stored, matrix, Major::mn), numbered(6));
}

TEST(Relayout, EveryLayoutComesBack) {
  for (const auto* text :
       {"5x7x6:a16w16:nn:ldw=9", "5x7x6:bf16:bf16:f32:batch=3:tt:lda=8:stride_a=77:ldc=8:stride_c=99",
        "5x7x64:a4w4:lda=66:ldw=80", "5x7x6:f32:f32:f32:batch=2:tn:ldw=7"}) {
    const auto p = parse_problem(text);
    for (const auto& [matrix, major] : {std::pair(stored_a(p), p.layout.a), std::pair(stored_w(p), p.layout.w)}) {
      const auto plain = numbered(storage_bytes(matrix.type, matrix.batch * matrix.rows * matrix.cols));
      const auto stored = to_stored(plain, matrix, major);
      EXPECT_EQ(static_cast<std::int64_t>(stored.size()), matrix.bytes()) << text;
      EXPECT_EQ(to_plain(stored, matrix, major), plain) << text;
    }
  }
}

TEST(Relayout, GapsAreWhatRowsLeave) {
  for (const auto* text : {"5x7x6:a16w16:batch=3:ldc=9:stride_c=50", "5x7x6:a16w16", "1x1x1:a16w16:ldc=5"}) {
    const auto matrix = stored_c(parse_problem(text));
    std::int64_t bytes = matrix.batch * matrix.rows * matrix.cols * 2;
    for_each_gap(matrix, [&](std::int64_t, std::int64_t count) { bytes += count; });
    EXPECT_EQ(bytes, matrix.bytes()) << text;
  }
}

TEST(Relayout, DrawnNumbersDoNotDependOnTheLayout) {
  const auto plain = parse_problem("5x7x6:bf16:bf16:f16:batch=2:bias:residual");
  const auto spread = parse_problem("5x7x6:bf16:bf16:f16:batch=2:tn:lda=8:ldw=11:stride_w=80:ldc=10:bias:residual");
  const auto a = draw_operands(plain, Recipe::gaussian, 7);
  const auto b = draw_operands(spread, Recipe::gaussian, 7);
  EXPECT_EQ(to_plain(b.a, stored_a(spread), spread.layout.a), a.a);
  EXPECT_EQ(to_plain(b.w, stored_w(spread), spread.layout.w), a.w);
  EXPECT_EQ(to_plain(b.residual, stored_c(spread), Major::k), a.residual);
  EXPECT_EQ(b.bias, a.bias);
  EXPECT_EQ(a.residual.size(), 2U * 5 * 7 * 2);
  EXPECT_NE(a.residual, std::vector<std::byte>(a.residual.size()));
}

}  // namespace
}  // namespace gemmtune
