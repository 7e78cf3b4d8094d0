#include "gemmtune/shapes/shape_csv.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "gemmtune/gemm/format.h"

namespace gemmtune {
namespace {

Shape shape(const std::string& problem, double weight, const std::string& layer = "") {
  return {.problem = parse_problem(problem), .weight = weight, .layer = layer};
}

TEST(ShapeCsv, HasLayersWhereTheyAreKnown) {
  EXPECT_EQ(shape_list_text({shape("1x64x128:a16w16", 2.5)}),
            "M,N,K,problem,weight\n1,64,128,1x64x128:bf16:bf16:bf16,2.5\n");
  EXPECT_EQ(shape_list_text({shape("1x64x128:a16w16", 32, "o_proj[tp1]"), shape("2x64x128:a16w16:batch=4", 1)}),
            "M,N,K,problem,weight,layer\n"
            "1,64,128,1x64x128:bf16:bf16:bf16,32,o_proj[tp1]\n"
            "2,64,128,2x64x128:bf16:bf16:bf16:batch=4,1,\n");
}

/// The problem column gives all types, whatever they are.
TEST(ShapeCsv, ReadsBackAsItWas) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<Shape> shapes;
    for (int i = 0; i < 40; ++i) {
      Shape made{.problem = format_defaults(all_formats()[random() % all_formats().size()])};
      made.problem.m = 1 + static_cast<std::int64_t>(random() % 4);
      made.problem.n = 64;
      made.problem.k = 128;
      made.problem.batch = 1 + static_cast<std::int64_t>(random() % 2);
      made.problem.epilogue.bias = random() % 2 == 0;
      made.weight = static_cast<double>(1 + random() % 100) / 4;
      made.layer = fmt::format("layer{}, \"odd\"", random() % 3);
      shapes.push_back(made);
    }
    const auto unique = without_duplicates(shapes);
    const auto list = read_shapes(parse_csv(shape_list_text(unique)), {});
    ASSERT_TRUE(list.rejected.empty()) << "seed " << seed << ": " << list.rejected[0].reason;
    ASSERT_EQ(list.shapes.size(), unique.size()) << "seed " << seed;
    double before = 0, after = 0;
    for (const auto& each : shapes) before += each.weight;
    for (std::size_t i = 0; i < unique.size(); ++i) {
      EXPECT_EQ(list.shapes[i].problem, unique[i].problem) << "seed " << seed;
      EXPECT_EQ(list.shapes[i].weight, unique[i].weight) << "seed " << seed;
      EXPECT_EQ(list.shapes[i].layer, unique[i].layer) << "seed " << seed;
      after += list.shapes[i].weight;
    }
    EXPECT_EQ(before, after) << "seed " << seed;
  }
}

TEST(ShapeCsv, LayersAreJoinedOnce) {
  const auto unique = without_duplicates(
      {shape("1x64x128:a16w16", 1, "k"), shape("1x64x128:a16w16", 2, "v"), shape("1x64x128:a16w16", 4, "k")});
  ASSERT_EQ(unique.size(), 1U);
  EXPECT_EQ(unique[0].weight, 7);
  EXPECT_EQ(unique[0].layer, "k+v");
}

TEST(ShapeCsv, OneFileForEachFormat) {
  const auto groups = by_format({shape("1x64x128:a16w16", 1), shape("1x64x128:a4w4", 1), shape("2x64x128:a16w16", 1),
                                 shape("1x64x128:e4m3/row:e2m1/1x32:bf16", 1), shape("1x64x128:a8w4", 1)});
  ASSERT_EQ(groups.size(), 4U);
  EXPECT_EQ(groups.at("a16w16").size(), 2U);
  EXPECT_EQ(groups.at("a4w4").size(), 1U);
  EXPECT_EQ(groups.at("a8w4").size(), 1U);
  EXPECT_EQ(groups.at("other").size(), 1U);
  EXPECT_EQ(path_for_format("a/b.c/shapes.csv", "a4w4"), std::filesystem::path("a/b.c/shapes_a4w4.csv"));
}

}  // namespace
}  // namespace gemmtune
