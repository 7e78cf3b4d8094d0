#include "gemmtune/device/cpu/system_tree.h"

#include <gtest/gtest.h>

#include "fake_tree.h"

namespace gemmtune {
namespace {

TEST(SystemTree, ReadsBelowItsRoot) {
  const FakeTree files;
  files.write("/sys/a/number", " 42\n");
  const SystemTree tree = files.tree();
  EXPECT_EQ(tree.text("/sys/a/number"), " 42\n");
  EXPECT_EQ(tree.line("/sys/a/number"), "42");
  EXPECT_EQ(tree.number("/sys/a/number"), 42);
  EXPECT_EQ(tree.text("/sys/a/none"), std::nullopt);
  EXPECT_EQ(tree.number("/sys/a/none"), std::nullopt);
}

TEST(SystemTree, AFolderIsNoText) {
  const FakeTree files;
  files.write("/sys/a/b", "x");
  EXPECT_EQ(files.tree().number("/sys/a"), std::nullopt);
}

TEST(Field, IsTheFirstWithTheWholeKey) {
  constexpr auto text = "model\t\t: 1\nmodel name\t: EPYC: 7763\nmodel name\t: other\n";
  EXPECT_EQ(field(text, "model name"), "EPYC: 7763");
  EXPECT_EQ(field(text, "model"), "1");
  EXPECT_EQ(field(text, "name"), std::nullopt);
}

TEST(ParseCpuList, RangesAndSingles) {
  EXPECT_EQ(parse_cpu_list("0-3,8\n"), (std::vector<int>{0, 1, 2, 3, 8}));
  EXPECT_EQ(parse_cpu_list("5"), (std::vector<int>{5}));
  EXPECT_EQ(parse_cpu_list(""), (std::vector<int>{}));
  EXPECT_EQ(parse_cpu_list("a,2-b,4"), (std::vector<int>{4}));
}

TEST(ParseSize, Units) {
  EXPECT_EQ(parse_size("32768K\n"), 32768 * 1024);
  EXPECT_EQ(parse_size("2M"), 2 * 1024 * 1024);
  EXPECT_EQ(parse_size("512"), 512);
  EXPECT_EQ(parse_size(""), std::nullopt);
  EXPECT_EQ(parse_size("K"), std::nullopt);
}

}  // namespace
}  // namespace gemmtune
