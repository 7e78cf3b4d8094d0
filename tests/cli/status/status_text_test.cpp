#include "gemmtune/cli/status/status_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gemmtune {
namespace {

RunStatus invented_status() {
  const auto problem = parse_problem("8x16x32:bf16:bf16:bf16");
  return {.store = "/runs/t.db",
          .run = {.id = 3,
                  .begun_utc = "2026-11-28T08:00:00Z",
                  .command_line = "gemmtune tune",
                  .host = "node1",
                  .pid = 4711,
                  .shapes = 10,
                  .shapes_done = 4,
                  .shapes_failed = 1},
          .state = RunState::running,
          .elapsed_s = 120,
          .last_heard_s = 3,
          .shapes_per_hour = 120,
          .remaining_s = 180,
          .results = {{.problem = problem, .winner = "k", .time_us = 2, .default_choice = "d", .default_us = 3}},
          .mean_gain = 1.5,
          .outcomes = {{Outcome::ok, 7}, {Outcome::crashed, 2}},
          .last_lines = {{"2026-11-28T08:01:00Z", "[4/10] something"}},
          .files = {{{"table", "/runs/t.csv"}, true, 2048, "2026-11-28T08:01:00Z"}, {{"profile", "/runs/p.csv"}}}};
}

TEST(StatusText, ForPeople) {
  EXPECT_EQ(status_text(invented_status()),
            "/runs/t.db: running, 4 of 10 shapes, 1 failed\n"
            "  2 min 00 s elapsed, 120.0 shapes an hour, 3 min 00 s left, last heard of 3 s ago\n"
            "  run 3 of 2026-11-28T08:00:00Z, process 4711 on node1: gemmtune tune\n"
            "  trials: 7 ok, 2 crashed\n"
            "  against the default: 1.50x in the geometric mean\n"
            "    1.50x  8x16x32:bf16:bf16:bf16  k\n"
            "  table /runs/t.csv, 2.0 kB, 2026-11-28T08:01:00Z\n"
            "  profile /runs/p.csv, not there\n"
            "  2026-11-28T08:01:00Z  [4/10] something\n");
}

TEST(StatusText, OfARunThatEndedInOneLine) {
  auto status = invented_status();
  status.state = RunState::killed;
  status.run.heartbeat_utc = "2026-11-28T08:02:00Z";
  EXPECT_EQ(ended_line(status),
            "/runs/t.db: killed, 4 of 10 shapes, 1 failed in 2 min 00 s, 1.50x, 2026-11-28T08:02:00Z\n");
}

TEST(StatusText, CutsNamesToTheTerminal) {
  auto status = invented_status();
  status.results[0].winner = "cpu_tile_bf16_avx512bf16_n3_m9_kc512_nc64_t1_direct";
  status.last_lines[0].text = "[4/10] 8x16x32:bf16:bf16:bf16: 2 us, 1.50x, cpu_tile_bf16_avx512bf16_n3_m9_kc512, 1 s";
  const auto text = status_text(status, 60);
  EXPECT_NE(text.find("    1.50x  8x16x32:bf16:bf16:bf16  cpu_tile_bf1…64_t1_direct\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  2026-11-28T08:01:00Z  [4/10] 8x16x32:bf1…_n3_m9_kc512, 1 s\n"), std::string::npos) << text;
}

TEST(StatusText, OfARunThatHasJustBegun) {
  RunStatus status{.store = "t.db", .run = {.id = 1, .shapes = 2}, .state = RunState::done};
  EXPECT_EQ(status_text(status), "t.db: done, 0 of 2 shapes\n  0 s elapsed\n  run 1 of , process 0 on : \n");
}

TEST(StatusText, ForPrograms) {
  const auto value = status_json(invented_status());
  EXPECT_EQ(value["state"], "running");
  EXPECT_EQ(value["remaining_s"], 180);
  EXPECT_EQ(value["results"][0]["gain"], 1.5);
  EXPECT_EQ(value["trials"]["crashed"], 2);
  EXPECT_EQ(value["files"][1]["is_there"], false);
  EXPECT_TRUE(status_json({})["remaining_s"].is_null());
}

}  // namespace
}  // namespace gemmtune
