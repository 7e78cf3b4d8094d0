#include "gemmtune/cli/serve/waiting_shapes.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

const TunedDevice here{"sm90", 132};

CapturedProblem captured(const std::string& text, MatchKind match, std::int64_t calls = 1) {
  return {.gfx = here.gfx, .cu_num = here.cu_num, .problem = parse_problem(text), .match = match, .calls = calls};
}

TunedRow row(const std::string& text, const std::string& kernel) {
  return {.gfx = here.gfx,
          .cu_num = here.cu_num,
          .problem = parse_problem(text),
          .libtype = "some",
          .time_us = 5,
          .kernel_name = kernel};
}

PublishedRows published(const std::vector<TunedRow>& rows) {
  auto table = empty_table(Format::a16w16, Schema::gemmtune);
  table.columns = columns_for_any_format();
  table.rows = rows;
  return {.table = table, .is_outdated = [](const TunedRow& one) { return one.kernel_name == "old"; }};
}

std::vector<std::string> waiting(const std::vector<CapturedProblem>& rows, const std::vector<TunedRow>& table = {}) {
  std::vector<std::string> texts;
  for (const auto& shape : waiting_shapes(rows, published(table), here)) texts.push_back(to_string(shape.problem));
  return texts;
}

using Texts = std::vector<std::string>;
constexpr const char* small = "16x64x64:bf16:bf16:bf16";
constexpr const char* large = "16x640x640:bf16:bf16:bf16";

TEST(WaitingShapes, WhatSavesMostComesFirst) {
  EXPECT_EQ(waiting({captured(small, MatchKind::fallback, 2), captured(large, MatchKind::fallback, 1000)}),
            Texts({large, small}));
  EXPECT_EQ(waiting({captured(small, MatchKind::fallback, 1000000), captured(large, MatchKind::nearest, 1)}),
            Texts({small, large}));
}

TEST(WaitingShapes, ProblemsThatARowServesDoNotWait) {
  EXPECT_EQ(waiting({captured(small, MatchKind::exact)}), Texts());  // by another table
  EXPECT_EQ(waiting({captured(small, MatchKind::fallback), captured(large, MatchKind::fallback)}, {row(small, "new")}),
            Texts({large}));
}

TEST(WaitingShapes, ProblemsWhoseRowIsOutdatedWait) {
  EXPECT_EQ(waiting({captured(small, MatchKind::exact), captured(large, MatchKind::exact)},
                    {row(small, "old"), row(large, "new")}),
            Texts({small}));
}

TEST(WaitingShapes, OtherDevicesAreNotTunedFor) {
  auto other = captured(small, MatchKind::fallback);
  other.gfx = "sm100";
  auto smaller = captured(small, MatchKind::fallback);
  smaller.cu_num = 78;
  EXPECT_EQ(waiting({other, smaller}), Texts());
}

TEST(Attempts, AProblemIsGivenUpAfterSoManyFailures) {
  Attempts attempts;
  const auto problem = parse_problem(small);
  for (int i = 0; i < Attempts::most; ++i) {
    EXPECT_FALSE(attempts.is_given_up(problem)) << i;
    attempts.note_failure(problem);
  }
  EXPECT_TRUE(attempts.is_given_up(problem));
  EXPECT_FALSE(attempts.is_given_up(parse_problem(large)));
}

}  // namespace
}  // namespace gemmtune
