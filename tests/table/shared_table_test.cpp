#include "gemmtune/table/shared_table.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/table/aiter_csv.h"

namespace gemmtune {
namespace {

class SharedTableTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  SharedTable table(bool sort = true) const { return {path_, {.format = Format::a4w4, .sort = sort}}; }

  static TunedRow row(std::int64_t m, std::string kernel) {
    return {.cu_num = 256, .problem = format_problem(m), .time_us = 2, .kernel_name = std::move(kernel)};
  }

  static Problem format_problem(std::int64_t m) {
    auto problem = format_defaults(Format::a4w4);
    problem.m = m;
    problem.n = 64;
    problem.k = 64;
    return problem;
  }

  std::vector<std::string> kernels() const {
    std::vector<std::string> names;
    for (const auto& row : read_tuned_table(path_, Format::a4w4).rows) names.push_back(row.kernel_name);
    return names;
  }

  using Names = std::vector<std::string>;
  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("shared_table_" + std::to_string(::getpid()));
  const std::filesystem::path path_ = folder_ / "t.csv";
};

TEST_F(SharedTableTest, RowsOfOthersStay) {
  auto a = table();
  auto b = table();
  a.write();
  b.write();
  a.add(row(1, "a1"));
  a.write();
  b.add(row(2, "b2"));
  b.write();
  a.add(row(3, "a3"));
  a.write();
  EXPECT_EQ(kernels(), (Names{"a1", "b2", "a3"}));
}

TEST_F(SharedTableTest, OfOneKeyTheLaterRowStays) {
  auto a = table();
  auto b = table();
  a.add(row(1, "a"));
  a.write();
  b.add(row(1, "b"));
  b.write();
  a.add(row(2, "a2"));
  a.write();
  EXPECT_EQ(kernels(), (Names{"b", "a2"}));
}

TEST_F(SharedTableTest, OurRowsComeBackIfTheFileWasRemoved) {
  auto a = table();
  a.add(row(1, "a1"));
  a.write();
  std::filesystem::remove(path_);
  a.add(row(2, "a2"));
  a.write();
  EXPECT_EQ(kernels(), (Names{"a1", "a2"}));
}

TEST_F(SharedTableTest, AnotherKindOfFileIsLeftAlone) {
  auto a = table();
  a.write();
  write_file_atomically(path_, "M,N,K\n1,2,3\n");
  a.add(row(1, "a1"));
  EXPECT_THROW(a.write(), Error);
  EXPECT_EQ(read_file(path_), "M,N,K\n1,2,3\n");
}

TEST_F(SharedTableTest, AStreamIsWrittenAtTheEnd) {
  SharedTable full("/dev/full", {.format = Format::a4w4});
  full.write();
  full.add(row(1, "a1"));
  full.write();
  EXPECT_TRUE(full.read().rows.empty());
  EXPECT_THROW(full.finish(), Error);
}

}  // namespace
}  // namespace gemmtune
