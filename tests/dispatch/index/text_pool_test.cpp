#include "gemmtune/dispatch/index/text_pool.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace gemmtune {
namespace {

TEST(TextPool, KeepsEachTextOnceAndTerminated) {
  TextPool pool;
  const auto first = pool.keep(std::string("kernel"));
  EXPECT_EQ(pool.keep("kernel").data(), first.data());
  EXPECT_EQ(first.data()[6], '\0');
  EXPECT_EQ(pool.keep(""), "");
  EXPECT_NE(pool.keep("").data(), nullptr);
}

TEST(TextPool, TextsStayWhereTheyAre) {
  TextPool pool;
  std::vector<std::pair<std::string, std::string_view>> kept;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text(static_cast<std::size_t>(i % 50), 'a');
    kept.emplace_back(text + std::to_string(i), pool.keep(text + std::to_string(i)));
  }
  const std::string huge(200'000, 'x');
  kept.emplace_back(huge, pool.keep(huge));
  const TextPool moved = std::move(pool);
  for (const auto& [text, view] : kept) ASSERT_EQ(text, view);
}

}  // namespace
}  // namespace gemmtune
