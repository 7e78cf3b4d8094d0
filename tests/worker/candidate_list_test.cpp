#include "gemmtune/worker/candidate_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gemmtune/core/error.h"
#include "gemmtune/core/visible.h"

namespace gemmtune {
namespace {

using namespace std::string_literals;
using nlohmann::json;
using testing::HasSubstr;

json reply_with(const json& candidates) { return {{"type", "candidates"}, {"id", 1}, {"candidates", candidates}}; }

ListedCandidate listed(const json& candidate) { return listed_candidates(reply_with(json::array({candidate}))).at(0); }

TEST(CandidateList, TakesNamesAsTheyAre) {
  const auto [candidate, why] = listed({{"family", "triton"},
                                        {"name", "bm64 größe=µ, \"quoted\""},
                                        {"params", json::array({json::array({"bm", "64"})})},
                                        {"split_k", 4},
                                        {"library_id", 0}});
  EXPECT_EQ(why, "");
  EXPECT_EQ(candidate.name, "bm64 größe=µ, \"quoted\"");
  EXPECT_EQ(candidate.params.at(0).value, "64");
  EXPECT_EQ(candidate.split_k, 4);
}

TEST(CandidateList, ANameThatCannotBePrintedCostsTheCandidate) {
  const std::string names[] = {"a\nb",  "a\0b"s,    "\x1b[2Ja", "a\rb",           "a\tb",
                               "a\x7f", "a\u0085b", "\u009b2J", "a\u202egnp.exe", "a\u2028b"};
  for (const std::string& name : names) {
    SCOPED_TRACE(visible(name));
    const auto all =
        listed_candidates(reply_with({{{"family", "f"}, {"name", "good"}}, {{"family", "f"}, {"name", name}}}));
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].why_unusable, "");
    EXPECT_THAT(all[1].why_unusable, HasSubstr("candidates[1].name: has characters that cannot be printed: '"));
    EXPECT_TRUE(is_visible(all[1].candidate.name));
    EXPECT_TRUE(is_visible(all[1].why_unusable));
    EXPECT_FALSE(listed({{"family", name}, {"name", "n"}}).why_unusable.empty());
    const auto with_param =
        listed({{"family", "f"}, {"name", "n"}, {"params", json::array({json::array({"k", name})})}});
    EXPECT_THAT(with_param.why_unusable, HasSubstr("candidates[0].params"));
    EXPECT_TRUE(is_visible(with_param.candidate.params.at(0).value));
  }
}

TEST(CandidateList, ANameMustBeOneInATable) {
  EXPECT_EQ(listed({{"family", "f"}, {"name", ""}}).why_unusable, "candidates[0].name: empty");
  EXPECT_EQ(listed({{"family", ""}, {"name", "n"}}).why_unusable, "candidates[0].family: empty");
  EXPECT_THAT(listed({{"family", "f"}, {"name", " n"}}).why_unusable, HasSubstr("blanks at an end"));
  EXPECT_THAT(listed({{"family", "f"}, {"name", std::string(501, 'n')}}).why_unusable, HasSubstr("501 bytes long"));
}

/// Of tied candidates the one with the least split_k wins.
TEST(CandidateList, NumbersMustBePossible) {
  const auto with_split = [](const json& split_k) {
    return listed({{"family", "f"}, {"name", "n"}, {"split_k", split_k}}).why_unusable;
  };
  EXPECT_THAT(with_split(0), HasSubstr("split_k: expected 1 to"));
  EXPECT_THAT(with_split(-5), HasSubstr("split_k: expected 1 to"));
  EXPECT_THAT(with_split(std::int64_t{1} << 40), HasSubstr("split_k: expected 1 to"));
  EXPECT_THAT(listed({{"family", "f"}, {"name", "n"}, {"library_id", -2}}).why_unusable, HasSubstr("library_id"));
}

TEST(CandidateList, RefusesANameTwice) {
  const json one{{"family", "f"}, {"name", "a\n"}};
  try {
    listed_candidates(reply_with({one, one}));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::protocol);
    EXPECT_STREQ(error.what(), "candidates: 'a\\x0a' is named twice");
  }
  EXPECT_EQ(
      listed_candidates(reply_with({{{"family", "f"}, {"name", "a"}}, {{"family", "f"}, {"name", "a\n"}}})).size(), 2U);
}

}  // namespace
}  // namespace gemmtune
