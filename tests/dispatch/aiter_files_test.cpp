// Tests with AITER's own tables; see tests/support/aiter_files.h.
#include "tests/support/aiter_files.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "gemmtune/core/csv.h"
#include "gemmtune/core/files.h"
#include "gemmtune/dispatch/index/load_tables.h"
#include "tests/dispatch/rows.h"

namespace gemmtune {
namespace {

class AiterTables : public testing::Test {
 protected:
  void SetUp() override {
    if (!folder) GTEST_SKIP() << "GEMMTUNE_AITER_CONFIGS is not set";
  }

  /// All tuned tables of GEMM families below the folder.
  std::vector<TableSource> sources() const {
    std::vector<TableSource> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(*folder)) {
      const auto name = entry.path().filename().string();
      const bool is_tuned = name.find("_tuned") != std::string::npos && name.find("fmoe") == std::string::npos;
      if (!is_tuned || entry.path().extension() != ".csv" || name.find("mxscale") != std::string::npos) continue;
      if (name.find("gemm") != std::string::npos) all.push_back(guess_source(entry.path()));
    }
    return all;
  }

  std::optional<std::filesystem::path> folder = aiter_folder("GEMMTUNE_AITER_CONFIGS");
};

/// Each level's share in percent of all M from 1 to 8192 of all layers of the a4w4 tables. The expected shares were
/// counted independently, with AITER's rule.
TEST_F(AiterTables, ShareOfEachLevel) {
  std::vector<TableSource> tables;
  for (const auto& source : sources())
    if (source.family.format == Format::a4w4) tables.push_back(source);
  const auto index = load_tables(tables, {.rules = {.nearest_factor = 1}}).index;
  std::set<std::pair<std::int64_t, std::int64_t>> layers;
  for (const auto& source : tables)
    (void)read_rows(read_file(source.path), source, [&](const TunedRow& row, std::int64_t) {
      if (row.gfx == "gfx950" && row.cu_num == 256) layers.emplace(row.problem.n, row.problem.k);
    });
  std::array<std::int64_t, match_kind_count> counts{};
  for (const auto& [n, k] : layers)
    for (std::int64_t m = 1; m <= 8192; ++m)
      ++counts[static_cast<std::size_t>(index.lookup(a4w4(m, n, k), mi355).match)];
  const auto share = [&](MatchKind kind) {
    const auto all = 8192.0 * static_cast<double>(layers.size());
    return 100.0 * static_cast<double>(counts[static_cast<std::size_t>(kind)]) / all;
  };
  EXPECT_NEAR(share(MatchKind::exact), 0.1, 0.05);
  EXPECT_NEAR(share(MatchKind::padded_fine), 4.3, 0.05);
  EXPECT_NEAR(share(MatchKind::padded_coarse), 49.5, 0.05);
  EXPECT_NEAR(share(MatchKind::fallback), 46.1, 0.05);
}

TEST_F(AiterTables, EveryRowWithATimeIsFoundAtItsKey) {
  const auto tables = sources();
  const auto loaded = load_tables(tables);
  const auto& index = loaded.index;
  EXPECT_TRUE(loaded.notes.empty()) << loaded.notes.size() << ", the first: " << loaded.notes.front();
  std::int64_t rows = 0;
  for (const auto& source : tables) rows += static_cast<std::int64_t>(read_csv(source.path).rows.size());
  std::int64_t indexed = 0;
  for (const auto& device : index.devices()) indexed += device.row_count;
  EXPECT_EQ(indexed, rows);
  for (const auto& source : tables)
    (void)read_rows(read_file(source.path), source, [&](const TunedRow& row, std::int64_t line) {
      const auto gfx = row.gfx.empty() ? gfx_of_cu_num(row.cu_num, "") : std::string_view(row.gfx);
      const auto answer = index.lookup(row.problem, device_key(gfx, row.cu_num));
      ASSERT_EQ(answer.match, MatchKind::exact) << source.path << ':' << line;
      ASSERT_TRUE(!has_time(row) || answer.choice->time_us <= row.time_us) << source.path << ':' << line;
    });
}

}  // namespace
}  // namespace gemmtune
