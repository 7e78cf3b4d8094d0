#include "gemmtune/replay/xz.h"

#include <gtest/gtest.h>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

TEST(Xz, GivesBackWhatItWasGiven) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += std::to_string(i * 7919 % 10'007) + ' ';
  for (const auto& some : {std::string(), std::string("a"), text, std::string(1 << 20, 'x')}) {
    const auto bytes = compress_xz(some);
    EXPECT_EQ(decompress_xz(bytes, "it"), some);
  }
  EXPECT_LT(compress_xz(text).size(), text.size() / 2);
}

TEST(Xz, RefusesWhatIsDamagedOrCutOff) {
  const auto bytes = compress_xz("some text that is long enough to be cut somewhere in the middle");
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(decompress_xz(std::string_view(bytes).substr(0, size), "it"), Error) << size;
  auto damaged = bytes;
  damaged[bytes.size() / 2] ^= 0x10;
  EXPECT_THROW(decompress_xz(damaged, "it"), Error);
  EXPECT_THROW(decompress_xz("device,problem\n", "it"), Error);
}

}  // namespace
}  // namespace gemmtune
