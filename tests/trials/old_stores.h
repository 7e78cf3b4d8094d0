// Stores as older versions left them: one trial and one run.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <string>

#include "gemmtune/trials/store.h"
#include "tests/trials/invented_trials.h"

namespace gemmtune {

inline void make_old(const std::filesystem::path& path, int version) {
  {
    auto store = TrialStore::open(path);
    store.add(invented_problem(), invented_evaluation(), invented_context());
    store.add_result(store.begin_run("gemmtune tune", 3), {.problem = invented_problem(), .winner = "toy_kc0"});
  }
  SQLite::Database database(path.string(), SQLite::OPEN_READWRITE);
  for (const std::string column : {"weight", "layer", "low_us", "high_us", "default_low_us", "default_high_us"})
    database.exec("ALTER TABLE run_results DROP COLUMN " + column);
  database.exec("PRAGMA user_version = 5");
  if (version == 5) return;
  database.exec("DROP TABLE lifts");
  database.exec("PRAGMA user_version = 4");
  if (version == 4) return;
  auto view = database.execAndGet("SELECT sql FROM sqlite_master WHERE name = 'trial_details'").getString();
  const auto erase = [&view](const std::string& newer) { view.erase(view.find(newer), newer.size()); };
  database.exec("DROP VIEW trial_details");
  erase(", turns");
  database.exec("ALTER TABLE trials DROP COLUMN turns");
  database.exec("ALTER TABLE run_results DROP COLUMN claim");
  if (version < 3) {
    erase(", cold_instructions");
    database.exec("ALTER TABLE contexts DROP COLUMN cold_instructions");
  }
  database.exec(view);
  if (version < 2)
    for (const auto* table : {"run_results", "run_lines", "run_files"})
      database.exec(std::string("DROP TABLE ") + table);
  database.exec("PRAGMA user_version = " + std::to_string(version));
}

}  // namespace gemmtune
