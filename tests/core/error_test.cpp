#include "gemmtune/core/error.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

TEST(Error, CarriesItsCodeAndAFormattedMessage) {
  try {
    fail(ErrorCode::input, "{}:{}: bad", "shapes.csv", 7);
    FAIL() << "fail() returned";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input);
    EXPECT_STREQ(error.what(), "shapes.csv:7: bad");
  }
}

TEST(Error, ExitCodesAreTheDocumentedOnes) {
  EXPECT_EQ(exit_code(ErrorCode::usage), 2);
  EXPECT_EQ(exit_code(ErrorCode::input), 3);
  EXPECT_EQ(exit_code(ErrorCode::no_device), 4);
  for (const auto code : {ErrorCode::unsupported, ErrorCode::io, ErrorCode::protocol, ErrorCode::internal})
    EXPECT_EQ(exit_code(code), 5);
}

}  // namespace
}  // namespace gemmtune
