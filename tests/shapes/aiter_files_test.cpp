// Every untuned GEMM file that AITER ships must read without a line left over. The files are not part of the
// distribution: the test looks for them in GEMMTUNE_AITER_CONFIGS or beside the source tree, and is skipped where they
// are not.
#include "tests/support/aiter_files.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"
#include "gemmtune/shapes/shape_list.h"
#include "gemmtune/table/guess_format.h"

namespace gemmtune {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> untuned_gemm_files() {
  const auto folder = aiter_folder("GEMMTUNE_AITER_CONFIGS");
  std::vector<fs::path> files;
  if (!folder) return files;
  for (const auto& entry : fs::recursive_directory_iterator(*folder)) {
    const auto name = entry.path().filename().string();
    if (name.find("untuned") != std::string::npos && name.find("gemm") != std::string::npos)
      files.push_back(entry.path());
  }
  return files;
}

double lines_with_text(const fs::path& path) {
  double count = 0;
  const auto text = read_file(path);
  for (const auto line : split(text, '\n')) count += trim(line).empty() ? 0 : 1;
  return count - 1;  // the header
}

TEST(AiterFiles, AllUntunedGemmFilesRead) {
  const auto files = untuned_gemm_files();
  if (files.empty()) GTEST_SKIP() << "AITER's configs are not here: set GEMMTUNE_AITER_CONFIGS";
  for (const auto& file : files) {
    SCOPED_TRACE(file.string());
    const auto guess = guess_format(file);
    const auto list = read_shapes(file, guess ? defaults_of(*guess) : format_defaults(Format::a16w16));
    EXPECT_TRUE(list.ignored_columns.empty());
    for (const auto& line : list.rejected) ADD_FAILURE() << line.where << ": " << line.reason;
    double lines = 0;
    for (const auto& shape : list.shapes) lines += shape.weight;
    EXPECT_EQ(lines, lines_with_text(file));
  }
}

TEST(AiterFiles, FormatsAreGuessedFromTheirNames) {
  const auto files = untuned_gemm_files();
  if (files.empty()) GTEST_SKIP() << "AITER's configs are not here: set GEMMTUNE_AITER_CONFIGS";
  for (const auto& file : files) {
    const auto name = file.filename().string();
    const bool says_nothing = name == "llama405B_untuned_gemm.csv" || name == "llama70B_untuned_gemm.csv" ||
                              name == "qwen32B_untuned_gemm.csv";
    EXPECT_EQ(guess_format(file).has_value(), !says_nothing) << name;
  }
}

}  // namespace
}  // namespace gemmtune
