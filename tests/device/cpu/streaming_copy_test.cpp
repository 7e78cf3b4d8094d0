#include "gemmtune/device/cpu/streaming_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace gemmtune {
namespace {

TEST(StreamingCopy, CopiesAnyLengthToAnyAlignmentAndNoMore) {
  std::vector<std::byte> from(400);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 7 + 1);
  for (std::size_t start = 0; start < 70; start += 3) {
    for (std::size_t length = 0; length < 300; length += 7) {
      std::vector<std::byte> to(400, std::byte{0xee});
      streaming_copy(std::span(from).subspan(start % 5, length), to.data() + start);
      std::vector<std::byte> expected(400, std::byte{0xee});
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(start % 5), length,
                  expected.begin() + static_cast<std::ptrdiff_t>(start));
      ASSERT_EQ(to, expected) << length << " bytes to offset " << start;
    }
  }
}

}  // namespace
}  // namespace gemmtune
