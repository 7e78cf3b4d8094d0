#include "gemmtune/core/csv_scanner.h"

#include <gtest/gtest.h>

#include <random>

#include "gemmtune/core/csv.h"
#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

std::vector<std::string> texts(const CsvScanner& scanner) {
  std::vector<std::string> result;
  for (const auto& field : scanner.fields()) result.emplace_back(field.text);
  return result;
}

TEST(CsvScanner, ShowsCellsOfTheTextItself) {
  const std::string text = "\xEF\xBB\xBF a ,\"b\"\r\n\n1,\t2 \n";
  CsvScanner scanner(text, "f.csv");
  ASSERT_TRUE(scanner.next());
  EXPECT_EQ(texts(scanner), (std::vector<std::string>{"a", "b"}));
  for (const auto& field : scanner.fields())
    EXPECT_TRUE(field.text.data() > text.data() && field.text.data() < text.data() + text.size());
  ASSERT_TRUE(scanner.next());
  EXPECT_EQ(scanner.line(), 3);
  EXPECT_EQ(scanner.raw(), "1,\t2 ");
  EXPECT_EQ(scanner.fields()[1].column, 4);
  EXPECT_FALSE(scanner.next());
}

TEST(CsvScanner, QuotedCells) {
  CsvScanner scanner("\"x, \"\"y\"\"\nz\",\"\",\"a\"b ,\"\"\"\"\nend", "f.csv");
  ASSERT_TRUE(scanner.next());
  EXPECT_EQ(texts(scanner), (std::vector<std::string>{"x, \"y\"\nz", "", "ab", "\""}));
  ASSERT_TRUE(scanner.next());
  EXPECT_EQ(scanner.line(), 3);
}

TEST(CsvScanner, LineEndsOfAllKinds) {
  CsvScanner scanner("a\r\nb\rc\nd", "f.csv");
  std::string seen;
  while (scanner.next()) seen += texts(scanner)[0] + std::to_string(scanner.line());
  EXPECT_EQ(seen, "a1b2c3d4");
}

/// The rows of a text as one string, or the error's message.
std::string read_by_scanner(const std::string& text) {
  std::string seen;
  try {
    CsvScanner scanner(text, "r");
    while (scanner.next()) {
      seen += std::to_string(scanner.line()) + '[' + std::string(scanner.raw()) + ']';
      for (const auto& field : scanner.fields())
        seen += std::to_string(field.column) + '{' + std::string(field.text) + '}';
    }
  } catch (const Error& error) {
    return error.what();
  }
  return seen;
}

std::string read_by_document(const std::string& text) {
  std::string seen;
  try {
    for (const auto& row : parse_csv("h\n" + text, "r").rows) {
      seen += std::to_string(row.line - 1) + '[' + row.raw + ']';
      for (const auto& cell : row.cells) seen += std::to_string(cell.column) + '{' + cell.text + '}';
    }
  } catch (const Error& error) {
    return error.what();
  }
  return seen;
}

TEST(CsvScanner, DocumentsHoldWhatItShows) {
  std::mt19937 random(11);
  const std::string alphabet = "ab,,\"\"\n\r \t";
  int with_rows = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (auto length = random() % 24; length > 0; --length) text += alphabet[random() % alphabet.size()];
    const auto scanned = read_by_scanner(text);
    if (scanned.starts_with("r:")) continue;  // an unclosed quote: the document counts its header as one more line
    with_rows += !scanned.empty();
    ASSERT_EQ(scanned, read_by_document(text)) << "seed 11, round " << round;
  }
  EXPECT_GT(with_rows, 500);
}

}  // namespace
}  // namespace gemmtune
