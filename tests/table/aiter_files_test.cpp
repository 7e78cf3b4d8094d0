// AITER's own tuned tables must come through reading and writing unchanged. They are not part of the distribution: see
// tests/shapes/aiter_files_test.cpp.
#include "tests/support/aiter_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/table/aiter_csv.h"
#include "gemmtune/table/sheet/convert.h"
#include "gemmtune/table/sheet/merge.h"
#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {
namespace {

namespace fs = std::filesystem;

std::optional<Format> format_of_file(const std::string& name) {
  const auto named = [&](const char* word) { return name.find(word) != std::string::npos; };
  if (!named("tuned") || named("untuned") || named("mxscale") || named("moe") || named("gdn")) return std::nullopt;
  if (named("batched")) return named("a8w8") ? Format::batched_a8w8 : Format::batched_a16w16;
  if (named("a4w4")) return Format::a4w4;
  if (named("bf16")) return Format::a16w16;
  if (!named("a8w8")) return std::nullopt;
  if (named("blockscale")) return Format::a8w8_blockscale;
  return named("bpreshuffle") ? Format::a8w8_bpreshuffle : Format::a8w8;
}

/// The lines of a file without its line ends, blank ones left out, in alphabetical order.
std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) result.push_back(line);
  }
  std::ranges::sort(result);
  return result;
}

/// Every CSV of every folder for which a variable is set.
std::vector<fs::path> all_tables() {
  std::vector<fs::path> paths;
  for (const auto* variable : {"GEMMTUNE_AITER_CONFIGS", "GEMMTUNE_AITER_HSA", "GEMMTUNE_AITER_HISTORY"})
    if (const auto folder = aiter_folder(variable))
      for (const auto& entry : fs::recursive_directory_iterator(*folder))
        if (entry.path().extension() == ".csv") paths.push_back(entry.path());
  return paths;
}

/// The lines after the header. Two headers that differ only in blanks count as the same.
std::vector<std::string> lines_after_header(const std::string& text) {
  const auto end = text.find('\n');
  return end == std::string::npos ? std::vector<std::string>() : lines(text.substr(end));
}

TEST(AiterFiles, SheetsOfAllKindsComeThroughUnchanged) {
  const auto paths = all_tables();
  if (paths.empty()) GTEST_SKIP() << "AITER's tables are not here: set GEMMTUNE_AITER_CONFIGS, _HSA or _HISTORY";
  std::size_t short_lines = 0;
  for (const auto& path : paths) {
    SCOPED_TRACE(path.string());
    const auto sheet = read_sheet(path);
    EXPECT_NE(sheet.kind, TableKind::unknown);
    for (const auto& line : sheet.unusable)
      EXPECT_NE(line.reason.find("28 cells, the header has 29"), std::string::npos)
          << line.where << ": " << line.reason;
    short_lines += sheet.unusable.size();
    EXPECT_EQ(lines_after_header(sheet_text(sheet)), lines_after_header(read_file(path)));
    EXPECT_EQ(sheet_text(sheet_of(parse_csv(sheet_text(sheet)))), sheet_text(sheet));
  }
  if (aiter_folder("GEMMTUNE_AITER_CONFIGS")) {
    EXPECT_EQ(short_lines, 19U) << "of two tables of fused MoE";
  }
}

TEST(AiterFiles, RowsOfAllKindsAreKeptOrReportedByMerging) {
  for (const auto& path : all_tables()) {
    SCOPED_TRACE(path.string());
    const std::vector<Sheet> once{read_sheet(path)};
    const std::vector<Sheet> twice{once[0], once[0]};
    const auto merged = merge(once, MergePolicy::fastest);
    EXPECT_EQ(merged.sheet.rows.size() + merged.duplicates.size(), once[0].rows.size());
    EXPECT_EQ(sheet_text(merge(twice, MergePolicy::fastest).sheet), sheet_text(merged.sheet));
  }
}

TEST(AiterFiles, GenerationsConvertThereAndBack) {
  const auto folder = aiter_folder("GEMMTUNE_AITER_CONFIGS");
  if (!folder) GTEST_SKIP() << "AITER's configs are not here: set GEMMTUNE_AITER_CONFIGS";
  const auto path = *folder / "a4w4_blockscale_tuned_gemm.csv";
  if (!fs::exists(path)) GTEST_SKIP() << path << " is not there";
  const auto seed = converted(read_sheet(path), {.schema = Schema::seed}).sheet;
  EXPECT_EQ(sheet_text(converted(seed, {.schema = Schema::today}).sheet), read_file(path));
}

TEST(AiterFiles, TunedTablesComeThroughUnchanged) {
  const auto folder = aiter_folder("GEMMTUNE_AITER_CONFIGS");
  if (!folder) GTEST_SKIP() << "AITER's configs are not here: set GEMMTUNE_AITER_CONFIGS";
  int tables = 0;
  for (const auto& entry : fs::recursive_directory_iterator(*folder)) {
    const auto format = format_of_file(entry.path().filename().string());
    if (!format) continue;
    SCOPED_TRACE(entry.path().string());
    const auto table = read_tuned_table(entry.path(), *format);
    EXPECT_TRUE(table.unusable_lines.empty()) << table.unusable_lines.front().reason;
    EXPECT_EQ(lines(tuned_table_text(sorted(table))), lines(read_file(entry.path())));
    ++tables;
  }
  EXPECT_GT(tables, 10);
}

}  // namespace
}  // namespace gemmtune
