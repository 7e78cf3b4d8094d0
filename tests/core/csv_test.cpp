#include "gemmtune/core/csv.h"

#include <gtest/gtest.h>

#include <random>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

std::vector<std::string> texts(const CsvRow& row) {
  std::vector<std::string> result;
  for (const auto& cell : row.cells) result.push_back(cell.text);
  return result;
}

TEST(Csv, ReadsWhatRealTablesContain) {
  const auto document = parse_csv("\xEF\xBB\xBFM, N,K\t\r\n\r\n1, 1280, 8192\t\r\n   \n2,3\n4,5,6,7", "odd.csv");
  EXPECT_EQ(document.header, (std::vector<std::string>{"M", "N", "K"}));
  ASSERT_EQ(document.rows.size(), 3U);
  EXPECT_EQ(texts(document.rows[0]), (std::vector<std::string>{"1", "1280", "8192"}));
  EXPECT_EQ(texts(document.rows[1]), (std::vector<std::string>{"2", "3"}));
  EXPECT_EQ(texts(document.rows[2]), (std::vector<std::string>{"4", "5", "6", "7"}));
}

TEST(Csv, KnowsWhereEachCellStood) {
  const auto document = parse_csv("M,N\n\n1,  20\n", "a.csv");
  const auto& row = document.rows.at(0);
  EXPECT_EQ(document.where(row, document.column("n")), "a.csv:3:5");
  EXPECT_EQ(document.where(row, document.column("absent")), "a.csv:3:5");  // the row's last cell
  EXPECT_EQ(document.text(row, document.column("absent")), "");
}

TEST(Csv, AHeaderAloneIsATableWithoutRows) {
  EXPECT_TRUE(parse_csv("M,N,K").rows.empty());
  EXPECT_EQ(parse_csv("M,N,K").header.size(), 3U);
}

TEST(Csv, RowsOfEmptyCellsAreKept) { EXPECT_EQ(parse_csv("a,b\n,\n").rows.size(), 1U); }

TEST(Csv, QuotedCellsMayHoldAnything) {
  const auto document = parse_csv("a,b\n\"x, \"\"y\"\"\nz\",2\n3,4\n");
  EXPECT_EQ(texts(document.rows.at(0)), (std::vector<std::string>{"x, \"y\"\nz", "2"}));
  EXPECT_EQ(document.rows.at(1).line, 4);
}

TEST(Csv, SaysWhyAFileIsUnreadable) {
  const auto message = [](std::string_view text) {
    try {
      parse_csv(text, "f.csv");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message("\n \n"), "f.csv:1:1: the file is empty, expected a header line");
  EXPECT_EQ(message("a,b\n1,\"x\ny"), "f.csv:2:3: a quote that is never closed");
  EXPECT_EQ(message(std::string_view("a\n1\0", 4)), "f.csv:2:2: a NUL byte: this is not a text file");
}

TEST(Csv, WrittenLinesReadBack) {
  std::mt19937 random(7);
  const std::string alphabet = "ab1,\"\n\r \t.";
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> cells(2 + random() % 4);
    for (auto& cell : cells)
      for (auto length = random() % 6; length > 0; --length) cell += alphabet[random() % alphabet.size()];
    cells.front() += 'x';  // a line of blanks alone would be skipped
    const auto document = parse_csv("h\n" + csv_line(cells) + "\n");
    ASSERT_EQ(document.rows.size(), 1U) << "round " << round;
    ASSERT_EQ(texts(document.rows[0]), cells) << "round " << round;
  }
}

}  // namespace
}  // namespace gemmtune
