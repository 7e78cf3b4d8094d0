#include "gemmtune/core/shared_library.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

TEST(SharedLibrary, TheFirstThatIsThereIsTaken) {
  const auto library = SharedLibrary::open({"libno-such-thing.so.1", "libm.so.6"});
  ASSERT_TRUE(library);
  EXPECT_EQ(library->name(), "libm.so.6");
  EXPECT_EQ(library->function<double(double)>("cos")(0), 1.0);
}

TEST(SharedLibrary, WhatIsNotThereIsNothing) {
  EXPECT_FALSE(SharedLibrary::open({"libno-such-thing.so.1"}));
  const auto library = SharedLibrary::open({"libm.so.6"});
  EXPECT_EQ(library->find<void()>("no_such_function"), nullptr);
  try {
    library->function<void()>("no_such_function");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "libm.so.6 has no function no_such_function: it is too old");
  }
}

}  // namespace
}  // namespace gemmtune
