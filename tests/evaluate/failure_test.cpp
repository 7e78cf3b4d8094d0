#include "gemmtune/evaluate/failure.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

TEST(Attempt, SuccessIsNoFailure) {
  EXPECT_FALSE(failure_of(blame_prepare, [] {}));
}

TEST(Attempt, ARefusalInPrepareIsUnsupported) {
  const auto failure = failure_of(blame_prepare, [] { fail(ErrorCode::unsupported, "K % 64 != 0"); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->outcome, Outcome::unsupported);
  EXPECT_EQ(failure->reason, "K % 64 != 0");
}

TEST(Attempt, AnythingElseInPrepareIsAFailedCompilation) {
  EXPECT_EQ(failure_of(blame_prepare, [] { fail(ErrorCode::internal, "no code"); })->outcome, Outcome::compile_failed);
  EXPECT_EQ(failure_of(blame_prepare, [] { throw std::runtime_error("syntax"); })->reason, "syntax");
  EXPECT_EQ(failure_of(blame_prepare, [] { throw 7; })->outcome, Outcome::compile_failed);
}

TEST(Attempt, WhateverALaunchReportsIsAFailedLaunch) {
  EXPECT_EQ(failure_of(blame_launch, [] { fail(ErrorCode::unsupported, "illegal address"); })->outcome,
            Outcome::launch_failed);
}

TEST(Attempt, NoMemoryIsAFailedLaunchEverywhere) {
  EXPECT_EQ(failure_of(blame_prepare, [] { throw std::bad_alloc(); })->outcome, Outcome::launch_failed);
}

}  // namespace
}  // namespace gemmtune
