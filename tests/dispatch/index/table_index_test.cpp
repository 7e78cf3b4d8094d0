#include "gemmtune/dispatch/index/table_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "gemmtune/table/padded_m.h"
#include "tests/dispatch/rows.h"

namespace gemmtune {
namespace {

TEST(TableIndex, TriesItsLevelsInOrder) {
  const auto index = index_of({row_of(a4w4(5, 512, 512), 1), row_of(a4w4(16, 512, 512), 2),
                               row_of(a4w4(64, 512, 512), 3), row_of(a4w4(100, 512, 512), 4)});
  const auto match = [&](std::int64_t m) { return index.lookup(a4w4(m, 512, 512), mi355); };
  EXPECT_EQ(match(5).match, MatchKind::exact);
  EXPECT_EQ(match(6).match, MatchKind::padded_fine);
  EXPECT_EQ(match(6).tuned_m, 16);
  EXPECT_EQ(match(40).match, MatchKind::padded_coarse);  // finely, M would pad to 48
  EXPECT_EQ(match(40).tuned_m, 64);
  EXPECT_EQ(match(90).match, MatchKind::nearest);  // M pads finely to 96, coarsely to 128
  EXPECT_EQ(match(90).tuned_m, 100);
  EXPECT_EQ(match(201).match, MatchKind::fallback);
  EXPECT_EQ(match(201).choice->libtype, "asm");
}

TEST(TableIndex, SaysWhereARowStandsAndWhatToExpect) {
  auto row = row_of(a4w4(128, 512, 512), 10);
  row.libtype = "ck";
  row.kernel_id = 7;
  row.split_k = 2;
  const auto index = index_of({row});
  const auto exact = index.lookup(a4w4(128, 512, 512), mi355);
  ASSERT_NE(exact.choice, nullptr);
  EXPECT_EQ(exact.choice->libtype, "ck");
  EXPECT_EQ(exact.choice->kernel_name, row.kernel_name);
  EXPECT_EQ(exact.choice->kernel_name.data()[row.kernel_name.size()], '\0');
  EXPECT_EQ(exact.choice->kernel_id, 7);
  EXPECT_EQ(exact.choice->split_k, 2);
  EXPECT_EQ(exact.choice->source, "invented.csv");
  EXPECT_EQ(exact.choice->line, 2);
  EXPECT_EQ(exact.expected_us, 10);
  const auto smaller = index.lookup(a4w4(100, 512, 512), mi355);
  EXPECT_EQ(smaller.expected_us, 10);
  EXPECT_FALSE(smaller.is_scaled);
  const auto larger = index.lookup(a4w4(192, 512, 512), mi355);
  EXPECT_EQ(larger.expected_us, 15);
  EXPECT_TRUE(larger.is_scaled);
}

TEST(TableIndex, TheFastestOfAKeyServesAndTheNextOtherKernelIsTheRunnerUp) {
  auto slow = row_of(a4w4(8, 64, 64), 3), fast = row_of(a4w4(8, 64, 64), 2), again = fast;
  again.time_us = 2.5;  // the same kernel once more
  const auto index = index_of({slow, again, fast});
  const auto answer = index.lookup(a4w4(8, 64, 64), mi355);
  EXPECT_EQ(answer.choice->line, 4);
  ASSERT_NE(answer.runner_up, nullptr);
  EXPECT_EQ(answer.runner_up->line, 2);
}

TEST(TableIndex, RowsThatAreWrongServeOnlyWhereAllAre) {
  auto wrong = row_of(a4w4(8, 64, 64), 2), right = row_of(a4w4(8, 64, 64), 3);
  wrong.err_ratio = 0.06;
  right.err_ratio = 0.05;
  const auto both = index_of({wrong, right});
  EXPECT_EQ(both.lookup(a4w4(8, 64, 64), mi355).choice->time_us, 3);
  const auto only = index_of({wrong});
  EXPECT_EQ(only.lookup(a4w4(8, 64, 64), mi355).choice->time_us, 2);
}

TEST(TableIndex, RowsWithoutATimeServeOnlyWhereNothingElseDoes) {
  for (const double none : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    auto placeholder = row_of(a4w4(8, 64, 64), none);
    placeholder.kernel_name = "placeholder";
    const auto both = index_of({placeholder, row_of(a4w4(8, 64, 64), 9)});
    EXPECT_EQ(both.lookup(a4w4(8, 64, 64), mi355).choice->time_us, 9) << none;
    const auto only = index_of({placeholder});
    const auto alone = only.lookup(a4w4(8, 64, 64), mi355);
    EXPECT_EQ(alone.choice->kernel_name, "placeholder") << none;
    EXPECT_EQ(alone.expected_us, 0) << none;
  }
}

TEST(TableIndex, TheNearestIsWithinTheBoundAndUpwardOnATie) {
  const std::vector<TunedRow> rows{row_of(a4w4(100, 64, 64), 1), row_of(a4w4(400, 64, 64), 2)};
  const auto index = index_of(rows);
  const auto nearest = [&](std::int64_t m) { return index.try_level(MatchKind::nearest, a4w4(m, 64, 64), mi355); };
  EXPECT_FALSE(nearest(49));
  EXPECT_EQ(nearest(50)->tuned_m, 100);
  EXPECT_EQ(nearest(199)->tuned_m, 100);
  EXPECT_EQ(nearest(200)->tuned_m, 400);  // equally far from both rows
  EXPECT_EQ(nearest(800)->tuned_m, 400);
  EXPECT_FALSE(nearest(801));
  const auto wide = index_of(rows, {.rules = {.nearest_factor = 4}});
  EXPECT_EQ(wide.try_level(MatchKind::nearest, a4w4(1600, 64, 64), mi355)->tuned_m, 400);
  const auto never = index_of(rows, {.rules = {.nearest_factor = 1}});
  EXPECT_FALSE(never.try_level(MatchKind::nearest, a4w4(100, 64, 64), mi355));
}

TEST(TableIndex, NothingButMIsEverTakenFromAnotherProblem) {
  const auto index = index_of({row_of(a4w4(64, 512, 256), 1)});
  const auto is_row = [&](const Problem& problem, const DeviceKey& device) {
    return index.lookup(problem, device).match != MatchKind::fallback;
  };
  EXPECT_TRUE(is_row(a4w4(64, 512, 256), mi355));
  EXPECT_FALSE(is_row(a4w4(64, 511, 256), mi355));
  EXPECT_FALSE(is_row(a4w4(64, 512, 258), mi355));
  EXPECT_FALSE(is_row(a4w4(64, 512, 256), device_key("gfx950", 255)));
  EXPECT_FALSE(is_row(a4w4(64, 512, 256), device_key("gfx942", 256)));
  auto plain = a4w4(64, 512, 256);
  plain.packed = false;
  EXPECT_FALSE(is_row(plain, mi355));
  EXPECT_FALSE(is_row(parse_problem("64x512x256:a16w16"), mi355));
}

/// Weights in blocks: each type and scaling of either side is part of the key, and so are output and bias.
TEST(TableIndex, RowsOfBlockWeightsServeTheirOwnTypesOnly) {
  const TableFamily stating{.states_problems = true};
  std::vector<std::string> all;
  for (const std::string a : {"bf16", "f32", "bf16/q8", "f32/q8"})
    for (const std::string w : {"e2m1/1x32", "e2m1/1x16", "int4/1x32f16", "int8/1x32f16"})
      for (const std::string rest : {"bf16:packed", "f32:packed", "bf16:bias:packed"})
        all.push_back("4x64x96:" + a + ":" + w + ":" + rest);
  for (const auto& own : all) {
    const auto index = index_of({row_of(parse_problem(own), 2)}, {}, stating);
    for (const auto& other : all) {
      const auto found = index.lookup(parse_problem(other), mi355);
      EXPECT_EQ(found.choice != nullptr, own == other) << own << ' ' << other;
    }
  }
}

TEST(TableIndex, TypesWithoutAColumnAreNoPartOfTheKey) {
  const auto served = [](const char* tuned, const char* asked, TableFamily family) {
    const auto index = index_of({row_of(parse_problem(tuned), 1)}, {}, family);
    return index.lookup(parse_problem(asked), mi355).match == MatchKind::exact;
  };
  const TableFamily a4w4{.format = Format::a4w4}, a8w8{.format = Format::a8w8}, bf16{.format = Format::a16w16};
  const TableFamily blocks{.format = Format::a8w8_blockscale};
  EXPECT_TRUE(served("8x64x64:a4w4", "8x64x64:a4w4:bias:out=f32", a4w4));
  EXPECT_TRUE(served("8x64x64:a8w8_blockscale", "8x64x64:e4m3fnuz/1x128:e4m3fnuz/128x128:bf16", blocks));
  EXPECT_TRUE(served("8x64x64:a8w8", "8x64x64:a8w8:out=f16", a8w8));
  EXPECT_FALSE(served("8x64x64:a8w8", "8x64x64:e4m3/row:e4m3/row:bf16", a8w8));
  EXPECT_TRUE(served("8x64x64:a8w8", "8x64x64:int8/tensor:int8/tensor:bf16", a8w8));
  EXPECT_FALSE(served("8x64x64:a16w16", "8x64x64:a16w16:out=f32", bf16));
  EXPECT_FALSE(served("8x64x64:a16w16", "8x64x64:a16w16:bias", bf16));
}

TEST(TableIndex, BatchedProblemsHaveExactRowsOrNone) {
  const TableFamily batched{.format = Format::batched_a8w8};
  const auto index = index_of(
      {row_of(parse_problem("64x512x256:a8w8:batch=16"), 1), row_of(parse_problem("1x512x256:a8w8"), 2)}, {}, batched);
  EXPECT_EQ(index.lookup(parse_problem("64x512x256:a8w8:batch=16"), mi355).match, MatchKind::exact);
  EXPECT_EQ(index.lookup(parse_problem("63x512x256:a8w8:batch=16"), mi355).match, MatchKind::fallback);
  EXPECT_EQ(index.lookup(parse_problem("64x512x256:a8w8:batch=15"), mi355).match, MatchKind::fallback);
  EXPECT_EQ(index.lookup(parse_problem("1x512x256:a8w8"), mi355).match, MatchKind::exact) << "a batch of 1";
  EXPECT_EQ(index.lookup(parse_problem("2x512x256:a8w8"), mi355).match, MatchKind::fallback);
}

TEST(TableIndex, ARowOfAnUnbatchedTableServesBeforeThatOfABatchOfOne) {
  TableIndexBuilder builder({});
  const auto problem = parse_problem("16x512x256:a8w8");
  builder.add(row_of(problem, 1), {.format = Format::batched_a8w8}, {.file = "batched.csv", .line = 2});
  builder.add(row_of(problem, 2), {.format = Format::a8w8}, {.file = "plain.csv", .line = 2});
  const auto index = std::move(builder).build();
  EXPECT_EQ(index.lookup(problem, mi355).choice->source, "plain.csv");
  const auto padded = index.lookup(parse_problem("15x512x256:a8w8"), mi355);
  EXPECT_EQ(padded.match, MatchKind::padded_fine);
  EXPECT_EQ(padded.choice->source, "plain.csv");
}

TEST(TableIndex, RowsWithoutCuNumServeBesideThoseWithIt) {
  auto any = row_of(a4w4(64, 512, 512), 1), own = row_of(a4w4(128, 512, 512), 2), both = row_of(a4w4(64, 512, 512), 3);
  any.cu_num = 0;
  const auto index = index_of({any, own});
  EXPECT_EQ(index.lookup(a4w4(64, 512, 512), mi355).match, MatchKind::exact);
  EXPECT_EQ(index.lookup(a4w4(64, 512, 512), mi355).choice->time_us, 1);
  EXPECT_EQ(index.lookup(a4w4(128, 512, 512), mi355).choice->time_us, 2);
  EXPECT_EQ(index.lookup(a4w4(128, 512, 512), device_key("gfx950", 80)).match, MatchKind::nearest);
  EXPECT_EQ(index.lookup(a4w4(64, 512, 512), device_key("gfx942", 256)).match, MatchKind::fallback);
  const auto said = index_of({any, both});
  EXPECT_EQ(said.lookup(a4w4(64, 512, 512), mi355).choice->time_us, 3) << "rows for the very number come first";
}

TEST(TableIndex, MoreRowsOfOneLayerThanItsOctavesCanSay) {
  std::vector<TunedRow> rows;
  for (std::int64_t m = 1; m <= 80'000; ++m) rows.push_back(row_of(a4w4(2 * m, 64, 64), 1));
  const auto index = index_of(rows);
  for (std::int64_t m = 1; m <= 160'002; ++m) {
    const auto exact = index.try_level(MatchKind::exact, a4w4(m, 64, 64), mi355);
    ASSERT_EQ(exact.has_value(), m % 2 == 0 && m <= 160'000) << m;
  }
}

TEST(TableIndex, SizesThatNoTableHoldsAreAnsweredToo) {
  const auto index = index_of({row_of(a4w4(1, 64, 64), 1)});
  const auto huge = std::numeric_limits<std::int64_t>::max();
  for (const auto size : {std::int64_t{0}, std::int64_t{-1}, huge, std::numeric_limits<std::int64_t>::min()}) {
    EXPECT_EQ(index.lookup(a4w4(size, 64, 64), mi355).match, MatchKind::fallback) << size;
    EXPECT_EQ(index.lookup(a4w4(1, size, 64), mi355).match, MatchKind::fallback) << size;
    EXPECT_EQ(index.lookup(a4w4(1, 64, size), mi355).match, MatchKind::fallback) << size;
  }
  const TableIndex empty;
  EXPECT_EQ(empty.lookup(a4w4(1, 64, 64), mi355).match, MatchKind::fallback);
}

TEST(TableIndex, RowsWithoutGfxAreForTheDeviceThatAiterWouldTakeThemFor) {
  const auto gfx_of = [](std::int64_t cu_num, std::string live) {
    auto row = row_of(a4w4(1, 64, 64), 1);
    row.gfx.clear();
    row.cu_num = cu_num;
    return index_of({row}, {.live_gfx = std::move(live)}).devices().at(0).gfx;
  };
  EXPECT_EQ(gfx_of(256, "gfx942"), "gfx950");
  EXPECT_EQ(gfx_of(80, "gfx950"), "gfx942");
  EXPECT_EQ(gfx_of(304, "gfx950"), "gfx942");
  EXPECT_EQ(gfx_of(16, "gfx1250"), "gfx1250");
  EXPECT_EQ(gfx_of(16, "x86-64-avx2"), "gfx942") << "rows of a CPU say so";
  EXPECT_EQ(gfx_of(16, ""), "gfx942");
}

/// AITER's lookup, written a second time for comparison: a dictionary and the padding rule.
class Transcription {
 public:
  void add(std::int64_t n, std::int64_t k, std::int64_t m) { rows_.insert({n, k, m}); }

  std::int64_t tuned_m(std::int64_t m, std::int64_t n, std::int64_t k) const {
    for (const auto asked : {m, fine(m), coarse(m, n)})
      if (rows_.contains({n, k, asked})) return asked;
    return 0;
  }

 private:
  static std::int64_t up(std::int64_t m, std::int64_t step) { return m % step == 0 ? m : (m / step + 1) * step; }
  static std::int64_t fine(std::int64_t m) {
    if (m <= 256) return up(m, 16);
    if (m <= 1024) return up(m, 32);
    return m <= 4096 ? up(m, 64) : up(m, 128);
  }
  static std::int64_t coarse(std::int64_t m, std::int64_t n) {
    if (m > 8192 && n > 4096) return 8192;
    std::int64_t power = 1;
    while (power < m) power *= 2;
    return power;
  }

  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> rows_;
};

TEST(TableIndex, AgreesWithATranscriptionOfThePaddingRule) {
  std::mt19937_64 random(2026);
  Transcription transcription;
  std::vector<TunedRow> rows;
  std::set<std::pair<std::int64_t, std::int64_t>> layers;
  for (int i = 0; i < 40; ++i) {
    const auto n = static_cast<std::int64_t>(64 * (1 + random() % 200)),
               k = static_cast<std::int64_t>(64 * (1 + random() % 99));
    layers.emplace(n, k);
    for (auto count = random() % 30; count > 0; --count) {
      const auto octave = random() % 15;
      const auto m = static_cast<std::int64_t>((1ULL << octave) + (random() % 2) * (random() % (1ULL << octave)));
      transcription.add(n, k, m);
      rows.push_back(row_of(a4w4(m, n, k), 1));
    }
  }
  const auto index = index_of(rows, {.rules = {.nearest_factor = 1}});
  std::map<MatchKind, int> seen;
  for (const auto& [n, k] : layers)
    for (std::int64_t m = 1; m <= 20000; m += m < 8192 ? 1 : 7) {
      const auto answer = index.lookup(a4w4(m, n, k), mi355);
      ++seen[answer.match];
      ASSERT_EQ(answer.tuned_m, transcription.tuned_m(m, n, k)) << "seed 2026, " << m << 'x' << n << 'x' << k;
    }
  EXPECT_EQ(seen.size(), 4U);
}

TEST(TableIndex, TheNearestAgreesWithASearchThroughAll) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    std::set<std::int64_t> tuned;
    std::vector<TunedRow> rows;
    for (auto count = 1 + random() % 12; count > 0; --count)
      tuned.insert(static_cast<std::int64_t>(1 + random() % 3000));
    for (const auto m : tuned) rows.push_back(row_of(a4w4(m, 64, 64), 1));
    const auto index = index_of(rows);
    for (int i = 0; i < 50; ++i) {
      const auto m = static_cast<std::int64_t>(1 + random() % 6000);
      std::int64_t expected = 0;
      for (const auto t : tuned) {  // ascending: of two equally near, the later one wins
        const auto ratio = [&](std::int64_t x) { return std::pair(std::max(x, m), std::min(x, m)); };
        const auto [far, near] = ratio(t);
        if (far > 2 * near) continue;
        if (expected == 0) expected = t;
        const auto [best_far, best_near] = ratio(expected);
        if (far * best_near <= best_far * near) expected = t;
      }
      const auto found = index.try_level(MatchKind::nearest, a4w4(m, 64, 64), mi355);
      ASSERT_EQ(found ? found->tuned_m : 0, expected) << "seed 7, round " << round << ", M = " << m;
    }
  }
}

}  // namespace
}  // namespace gemmtune
