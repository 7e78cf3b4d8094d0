#include "gemmtune/space/outcome.h"

#include <gtest/gtest.h>

#include "gemmtune/space/evaluation.h"

namespace gemmtune {
namespace {

TEST(Outcome, NamesParseBack) {
  for (int i = 0; i <= static_cast<int>(Outcome::crashed); ++i) {
    const auto outcome = static_cast<Outcome>(i);
    EXPECT_EQ(parse_outcome(to_string(outcome)), outcome);
  }
  EXPECT_EQ(parse_outcome("fine"), std::nullopt);
}

TEST(Stage, NamesParseBack) {
  for (const auto stage : {Stage::screen, Stage::confirm, Stage::prove})
    EXPECT_EQ(parse_stage(to_string(stage)), stage);
  EXPECT_EQ(parse_stage(""), std::nullopt);
}

}  // namespace
}  // namespace gemmtune
