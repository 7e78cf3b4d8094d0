// Tests with AITER's own tables: see tests/support/aiter_files.h.
#include "tests/support/aiter_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "gemmtune/report/comparison.h"
#include "gemmtune/report/inputs.h"

namespace gemmtune {
namespace {

Readings read_all(const std::filesystem::path& folder) { return read_inputs(input_files({folder.string()}), {}); }

TEST(AiterFiles, AllTablesOfGemmsAreRead) {
  const auto folder = aiter_folder("GEMMTUNE_AITER_CONFIGS");
  if (!folder) GTEST_SKIP() << "GEMMTUNE_AITER_CONFIGS is not set";
  const auto readings = read_all(*folder);
  EXPECT_GT(readings.measurements.size(), 1000U);
  for (const auto& note : readings.notes) EXPECT_NE(note.find("taken for"), std::string::npos) << note;
  for (const auto& m : readings.measurements) EXPECT_TRUE(m.shape.types_known) << m.where;
}

TEST(AiterFiles, EveryKernelHasABackend) {
  const auto folder = aiter_folder("GEMMTUNE_AITER_CONFIGS");
  if (!folder) GTEST_SKIP() << "GEMMTUNE_AITER_CONFIGS is not set";
  const std::map<std::string, int> known{{"asm", 0},    {"ck", 0},    {"cktile", 0}, {"flydsl", 0},   {"opus", 0},
                                         {"triton", 0}, {"torch", 0}, {"skinny", 0}, {"hipblaslt", 0}};
  for (const auto& m : read_all(*folder).measurements)
    EXPECT_TRUE(known.contains(m.backend)) << m.where << ": " << m.backend << " of " << m.kernel;
}

/// AITER's own count of the kernels in its largest MXFP4 table: 1352 in assembly and 118 of CK.
TEST(AiterFiles, BackendsOfMxfp4) {
  const auto folder = aiter_folder("GEMMTUNE_AITER_CONFIGS");
  if (!folder) GTEST_SKIP() << "GEMMTUNE_AITER_CONFIGS is not set";
  const auto table = *folder / "a4w4_blockscale_tuned_gemm.csv";
  if (!std::filesystem::exists(table)) GTEST_SKIP() << "no " << table;
  std::map<std::string, int> rows;
  const auto readings = read_inputs({table}, {});
  for (const auto& m : readings.measurements) ++rows[m.backend];
  EXPECT_EQ(rows, (std::map<std::string, int>{{"asm", 1352}, {"cktile", 118}}));
  double most = 0;
  for (const auto& shape : compare(readings.measurements).shapes)
    for (const auto& [backend, best] : shape.best) most = std::max(most, best.tflops);
  EXPECT_NEAR(most, 5806.15, 0.05);
}

TEST(AiterFiles, PlaceholdersNeverWin) {
  const auto folder = aiter_folder("GEMMTUNE_AITER_CONFIGS");
  if (!folder) GTEST_SKIP() << "GEMMTUNE_AITER_CONFIGS is not set";
  const auto comparison = compare(read_all(*folder).measurements);
  EXPECT_GT(count_skipped(comparison, SkipReason::no_time), 0U);
  EXPECT_GT(count_skipped(comparison, SkipReason::over_error_limit), 0U);
  for (const auto& shape : comparison.shapes)
    for (const auto& [backend, best] : shape.best) EXPECT_GT(best.measurement.time_us, 0);
}

}  // namespace
}  // namespace gemmtune
