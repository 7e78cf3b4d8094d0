#include "gemmtune/table/sheet/known_columns.h"

#include <gtest/gtest.h>

#include <set>

#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

TEST(KnownColumns, EachNameMeansOneColumn) {
  std::set<std::string> names;
  for (const auto& column : known_columns()) {
    EXPECT_TRUE(names.insert(to_lower(column.name)).second) << column.name;
    if (column.aliases.empty()) continue;
    for (const auto alias : split(column.aliases, ' ')) EXPECT_TRUE(names.insert(to_lower(alias)).second) << alias;
  }
  for (std::size_t i = 0; i < known_columns().size(); ++i) EXPECT_EQ(find_known_column(known_columns()[i].name), i);
  EXPECT_EQ(find_known_column("ERR_RATIO"), find_known_column("errRatio"));
  for (const auto* name : {"total_us", "soltimes", "SOLTIMES"})
    EXPECT_EQ(find_known_column(name), find_known_column("us")) << name;
  EXPECT_EQ(find_known_column("total_us soltimes"), std::nullopt);
  EXPECT_EQ(find_known_column(""), std::nullopt);
  EXPECT_EQ(find_known_column("colour"), std::nullopt);
}

TEST(KnownColumns, FillsAreValuesOfTheirKind) {
  for (const auto& column : known_columns())
    if (!column.fill.empty()) {
      EXPECT_EQ(why_not(column.kind, column.fill), "") << column.name;
    }
}

struct Same {
  CellKind kind;
  std::string_view canonical;
  std::vector<std::string_view> texts;
};

TEST(KnownColumns, TextsThatMeanTheSameAreEqual) {
  using enum CellKind;
  const std::vector<Same> all{
      {size, "128", {"128", " 128", "128.0", "1.28e2", "0128"}},
      {whole, "-1", {"-1", "-1.0"}},
      {whole, "", {"", "Null", "nan", "None"}},
      {number, "0.5", {"0.5", ".5", "5e-1"}},
      {flag, "1", {"True", "TRUE", "true", "1", "1.0"}},
      {flag, "0", {"False", "FALSE", "0", "0.0", "", "Null"}},
      {type, "torch.bfloat16", {"torch.bfloat16", "dtypes.bf16", "bf16"}},
      {type, "torch.uint1", {"torch.uint1"}},
      {share, "0.01", {"0.01", "1%", "1.0%"}},
      {share, "nan", {"nan", "NaN"}},
      {share, "", {"", "Null"}},
      {word, "QuantType.No", {"QuantType.No", " QuantType.No\t"}},
  };
  for (const auto& [kind, canonical, texts] : all)
    for (const auto text : texts) EXPECT_EQ(canonical_value(kind, text), canonical) << '\'' << text << '\'';
}

TEST(KnownColumns, FeaturesAreNoPartOfAnArchitecture) {
  EXPECT_EQ(without_features("gfx942:sramecc+:xnack-"), "gfx942");
  EXPECT_EQ(without_features("gfx1250"), "gfx1250");
  EXPECT_EQ(without_features(""), "");
}

TEST(KnownColumns, SaysWhatIsNotOfAKind) {
  using enum CellKind;
  for (const auto* text : {"0", "-1", "", "1.5", "x", "nan", "1e300"})
    EXPECT_EQ(why_not(size, text), "a whole number above 0") << text;
  for (const auto* text : {"1", "128.0", "9007199254740992"}) EXPECT_EQ(why_not(size, text), "") << text;
  EXPECT_EQ(why_not(whole, "1.5"), "a whole number");
  EXPECT_EQ(why_not(number, "fast"), "a number");
  EXPECT_EQ(why_not(number, "inf"), "");
  EXPECT_EQ(why_not(flag, "maybe"), "True or False");
  EXPECT_EQ(why_not(share, "a lot%"), "a share or a percentage");
}

}  // namespace
}  // namespace gemmtune
