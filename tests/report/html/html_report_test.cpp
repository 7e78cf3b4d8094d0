#include "gemmtune/report/html/html_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gemmtune/report/html/page_parts.h"
#include "tests/report/invented_measurements.h"
#include "tests/trials/invented_trials.h"

namespace gemmtune {
namespace {

class HtmlReport : public testing::Test {
 protected:
  HtmlReport() {
    auto evil = timed(3, "ck", -1);
    evil.kernel = "</script><script>alert(1)</script><!--";
    evil.outcome = Outcome::crashed;
    evil.reason = "{{data}} signal 11";
    evil.reproducer = "gemmtune evaluate --candidate x";
    comparison_ = compare({timed(1, "asm", 4), timed(1, "ck", 2), timed(2, "asm", 1), evil});
    readings_.sources = {"a.csv"};
  }

  nlohmann::ordered_json data(const Roof& roof = {}) const {
    return html_data({comparison_, readings_, stores_, roof});
  }
  std::string page() const { return html_report({comparison_, readings_, stores_, {}}); }

  static std::size_t count(const std::string& text, std::string_view part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }

  Comparison comparison_;
  Readings readings_;
  StoreContents stores_;
};

TEST_F(HtmlReport, ShowsTheDevicesOfManyMachines) {
  EXPECT_TRUE(data()["fleet"].empty());
  stores_.fleet_devices = {
      {.device = "node1 cuda:0", .shards = 3, .set_aside = "not reachable", .calibrations = {10, 12}}};
  const auto value = data();
  EXPECT_EQ(value["fleet"][0]["device"], "node1 cuda:0");
  EXPECT_EQ(value["fleet"][0]["set_aside"], "not reachable");
  EXPECT_EQ(value["fleet"][0]["calibrations"].size(), 2U);
}

TEST_F(HtmlReport, SaysWhatTheComparisonSays) {
  const auto value = data();
  EXPECT_EQ(value["primary"], "asm");
  EXPECT_EQ(value["shapes"].size(), 3U);
  EXPECT_EQ(value["shapes"][0]["winners"][0], "ck");
  EXPECT_EQ(value["shapes"][0]["ratio"], 0.5);
  EXPECT_EQ(value["pairs"].size(), 1U);
  EXPECT_EQ(value["failures"][0]["reproducer"], "gemmtune evaluate --candidate x");
  EXPECT_TRUE(value["noise"].empty() && value["cost"].empty() && value["search_regret"].empty());
}

TEST_F(HtmlReport, TheRoofIsGivenOrReached) {
  EXPECT_EQ(data({.peak_tflops = 100, .peak_gbps = 50})["roofs"][0]["source"], "given");
  const auto reached = data()["roofs"];
  ASSERT_EQ(reached.size(), 1U);
  EXPECT_EQ(reached[0]["source"], "reached");
  EXPECT_NEAR(reached[0]["peak_tflops"].get<double>(), 2.0 * 2 * 512 * 4096 / 1e6, 1e-9);
  EXPECT_GT(reached[0]["peak_gbps"].get<double>(), 0);
  EXPECT_EQ(data({.peak_tflops = 100})["roofs"][0]["peak_tflops"], 100);
  EXPECT_FALSE(data()["shapes"][0]["best"]["asm"].contains("share"))
      << "a roof that is the best time reached gives no shares";
}

TEST_F(HtmlReport, ARememberedRoofGivesShares) {
  const RoofOf roof_of = [](const ShapeId& shape) {
    return shape.problem.m == 1 ? Roof{.peak_tflops = 1000, .peak_gbps = 2000} : Roof{};
  };
  const auto value = html_data({comparison_, readings_, stores_, {}, roof_of});
  ASSERT_EQ(value["roofs"].size(), 1U);
  EXPECT_EQ(value["roofs"][0]["source"], "remembered");
  EXPECT_EQ(value["roofs"][0]["label"], "roof of e2m1/1x32:e2m1/1x32:bf16:packed on gfx950/256");
  const auto& problem = invented_shape(1).problem;
  const double floor_us = moved_bytes(problem) / 2000e3;  // the bandwidth is what limits
  EXPECT_NEAR(value["shapes"][0]["best"]["asm"]["share"].get<double>(), floor_us / 4, 1e-4);
  EXPECT_FALSE(value["shapes"][1]["best"]["asm"].contains("share"));
  const auto given = html_data({comparison_, readings_, stores_, {.peak_tflops = 1, .peak_gbps = 2000}, roof_of});
  EXPECT_EQ(given["roofs"].size(), 1U) << "a given roof replaces a remembered one";
  EXPECT_EQ(given["roofs"][0]["source"], "given");
}

TEST_F(HtmlReport, WhatStoresHaveIsDrawn) {
  for (int i = 0; i < 3; ++i)
    stores_.trials.push_back({.id = i,
                              .time_utc = "2026-11-28T08:00:00Z",
                              .problem = invented_problem(),
                              .evaluation = invented_evaluation(i),
                              .context = invented_context()});
  stores_.results = {
      {.problem = invented_problem(), .winner = "a", .time_us = 1, .default_choice = "b", .default_us = 3},
      {.problem = invented_problem(65), .why_failed = "nothing was right"}};
  const auto value = data();
  EXPECT_EQ(value["noise"].size(), 3U);
  EXPECT_EQ(value["cost"][0]["trials"], 3);
  EXPECT_FALSE(value["search_regret"].empty());
  EXPECT_EQ(value["provenance"].size(), 1U);
  ASSERT_EQ(value["gains"].size(), 1U);
  EXPECT_EQ(value["gains"][0]["gain"], 3);
}

TEST_F(HtmlReport, IsOneFileThatDataCannotBreakOutOf) {
  if (chart_library().empty()) GTEST_SKIP() << "this build has no chart library";
  const auto text = page();
  EXPECT_EQ(count(text, "</script>"), 3U) << "data, library, ours";
  EXPECT_EQ(text.find("alert(1)</script>"), std::string::npos);
  EXPECT_NE(text.find("{{data}} signal 11"), std::string::npos) << "placeholders in filled-in text stay";
  EXPECT_EQ(text.find("{{style}}"), std::string::npos);
  for (const auto* link : {"src=\"http", "href=\"http", "url(http", "@import", "fetch(", "XMLHttpRequest"})
    EXPECT_EQ(text.find(link), std::string::npos) << link;
}

TEST_F(HtmlReport, TheLibraryKeepsItsLicense) {
  if (chart_library().empty()) GTEST_SKIP() << "this build has no chart library";
  EXPECT_NE(page().find("Released under the MIT License"), std::string::npos);
}

}  // namespace
}  // namespace gemmtune
