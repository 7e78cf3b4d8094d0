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

TEST(AiterFiles, TunedTablesComeThroughUnchanged) {
  const auto folder = aiter_folder("GEMMTUNE_AITER_CONFIGS");
  if (!folder) GTEST_SKIP() << "AITER's configs are not here: set GEMMTUNE_AITER_CONFIGS";
  int tables = 0;
  for (const auto& entry : fs::recursive_directory_iterator(*folder)) {
    const auto format = format_of_file(entry.path().filename().string());
    if (!format) continue;
    SCOPED_TRACE(entry.path().string());
    const auto table = read_tuned_table(entry.path(), *format);
    EXPECT_TRUE(table.unusable_lines.empty()) << table.unusable_lines.front();
    EXPECT_EQ(lines(tuned_table_text(sorted(table))), lines(read_file(entry.path())));
    ++tables;
  }
  EXPECT_GT(tables, 10);
}

}  // namespace
}  // namespace gemmtune
