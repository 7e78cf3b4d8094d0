#include "gemmtune/space/space.h"

#include <gtest/gtest.h>

#include <set>
#include <type_traits>
#include <utility>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

Space toy_space() {
  return Space("toy_f32",
               {label_axis("isa", {"avx2", "avx512"}), numeric_axis("m", {4, 6}), numeric_axis("kc", {64, 256})},
               {{"m6 needs kc 256", [](const Point& p) { return p["m"] != 6 || p["kc"] == 256; }},
                {"avx512 wants m4", [](const Point& p) { return p.label("isa") != "avx512" || p["m"] == 4; }}});
}

TEST(Space, EnumeratesThePointsThatMeetAllConstraints) {
  const auto space = toy_space();
  std::vector<std::string> names;
  for (const auto& point : space.points()) names.push_back(space.name(point));
  EXPECT_EQ(names, (std::vector<std::string>{"toy_f32_avx2_m4_kc64", "toy_f32_avx2_m4_kc256", "toy_f32_avx2_m6_kc256",
                                             "toy_f32_avx512_m4_kc64", "toy_f32_avx512_m4_kc256"}));
}

// Points refer to their space, so that those of a temporary one must not compile.
template <typename Of>
constexpr bool gives_points = requires(Of space) {
  std::forward<Of>(space).points();
};
template <typename Of>
constexpr bool parses = requires(Of space) {
  std::forward<Of>(space).parse("toy");
};
static_assert(gives_points<const Space&> && parses<const Space&>);
static_assert(!gives_points<Space> && !parses<Space> && !gives_points<const Space> && !parses<const Space>);
static_assert(std::is_constructible_v<Point, const Space&, std::vector<std::int64_t>>);
static_assert(!std::is_constructible_v<Point, Space, std::vector<std::int64_t>>);

TEST(Space, CountsWhyPointsWereTurnedAway) {
  EXPECT_EQ(toy_space().rejections(),
            (std::map<std::string, std::int64_t>{{"m6 needs kc 256", 2}, {"avx512 wants m4", 1}}));
}

TEST(Space, NamesParseBackToTheirPoints) {
  const auto space = toy_space();
  std::set<std::string> seen;
  for (const auto& point : space.points()) {
    const auto name = space.name(point);
    EXPECT_TRUE(seen.insert(name).second) << name << " names two points";
    const auto parsed = space.parse(name);
    ASSERT_TRUE(parsed) << name;
    EXPECT_EQ(space.name(*parsed), name);
    EXPECT_EQ((*parsed)["m"], point["m"]);
  }
}

TEST(Space, TakesValuesThatAreNoLongerListed) {
  const auto space = toy_space();
  const auto point = space.parse("toy_f32_avx2_m8_kc64");
  ASSERT_TRUE(point);
  EXPECT_EQ((*point)["m"], 8);
}

TEST(Space, RefusesNamesOfOthers) {
  const auto space = toy_space();
  for (const auto* name : {"", "toy_f32", "toy_f32_avx2_m4", "toy_f32_sse_m4_kc64", "toy_f32_avx2_m4_kc64_t2",
                           "toy_f32_avx2_m04_kc64", "toy_f32_avx2_kc64_m4", "toy_f32x_avx2_m4_kc64"})
    EXPECT_FALSE(space.parse(name)) << name;
}

TEST(Space, SaysWhyAPointDoesNotFit) {
  const auto space = toy_space();
  EXPECT_EQ(space.why_not(*space.parse("toy_f32_avx2_m6_kc64")), "m6 needs kc 256");
  EXPECT_EQ(space.why_not(*space.parse("toy_f32_avx2_m4_kc64")), "");
}

TEST(Space, CandidatesCarryNameAndParams) {
  const auto space = toy_space();
  const auto candidate = space.candidate("toy", space.points().front());
  EXPECT_EQ(candidate.family, "toy");
  EXPECT_EQ(candidate.name, "toy_f32_avx2_m4_kc64");
  EXPECT_EQ(candidate.params, (std::vector<Param>{{"isa", "avx2"}, {"m", "4"}, {"kc", "64"}}));
}

TEST(Space, ThreadsFallFromAllCores) {
  const auto values = [](std::int64_t cores) { return thread_axis(cores).values; };
  EXPECT_EQ(values(0), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(values(1), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(values(2), (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(values(16), (std::vector<std::int64_t>{16, 8, 4, 2, 1}));
  EXPECT_EQ(values(12), (std::vector<std::int64_t>{12, 8, 4, 2, 1}));
}

TEST(Space, AnEmptyAxisMeansNoPoints) {
  const Space space("x", {numeric_axis("m", {})}, {});
  EXPECT_TRUE(space.points().empty());
}

TEST(Space, AskingForAnAxisThatIsNotThereIsABug) {
  const auto space = toy_space();
  EXPECT_THROW(space.points().front()["nope"], Error);
}

}  // namespace
}  // namespace gemmtune
