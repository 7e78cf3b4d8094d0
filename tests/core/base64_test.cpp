#include "gemmtune/core/base64.h"

#include <gtest/gtest.h>

#include <random>

namespace gemmtune {
namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

TEST(Base64, IsThatOfRfc4648) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, text] : vectors) {
    EXPECT_EQ(to_base64(bytes_of(plain)), text);
    EXPECT_EQ(from_base64(text), bytes_of(plain));
  }
}

TEST(Base64, AnyBytesComeBack) {
  std::mt19937 random(5);
  for (std::size_t size = 0; size < 300; ++size) {
    std::vector<std::byte> bytes(size);
    for (auto& byte : bytes) byte = static_cast<std::byte>(random());
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes) << size;
  }
}

TEST(Base64, RefusesWhatIsNoBase64) {
  for (const char* text : {"Zg", "Zg=", "Zh==", "Z===", "====", "Zg==Zg==", "Zm9v!mFy", "Zm 9v", "Zm9v\n", "Zm9="})
    EXPECT_FALSE(from_base64(text)) << text;
}

}  // namespace
}  // namespace gemmtune
