#include "gemmtune/trials/schema.h"

#include <string>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

constexpr int application_id = 0x67656d6d;  // "gemm": distinguishes our files from databases of other programs

// NaN is stored as NULL. Seeds are unsigned 64-bit numbers and are stored as signed ones.
constexpr const char* tables = R"sql(
CREATE TABLE problems (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE,
  m INTEGER NOT NULL, n INTEGER NOT NULL, k INTEGER NOT NULL, batch INTEGER NOT NULL
);
CREATE TABLE candidates (
  id INTEGER PRIMARY KEY,
  family TEXT NOT NULL,
  name TEXT NOT NULL,
  params TEXT NOT NULL,
  split_k INTEGER NOT NULL,
  UNIQUE (family, name)
);
CREATE TABLE devices (
  id INTEGER PRIMARY KEY,
  description TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL, device_index INTEGER NOT NULL, name TEXT NOT NULL, arch TEXT NOT NULL,
  cu_num INTEGER NOT NULL, last_level_cache_bytes INTEGER NOT NULL, memory_bytes INTEGER NOT NULL,
  features TEXT NOT NULL, driver TEXT NOT NULL, libraries TEXT NOT NULL
);
CREATE TABLE contexts (
  id INTEGER PRIMARY KEY,
  identity TEXT NOT NULL UNIQUE,
  family_version TEXT NOT NULL,
  policy_stage TEXT NOT NULL,
  warmup INTEGER NOT NULL, min_samples INTEGER NOT NULL, max_samples INTEGER NOT NULL,
  max_sampling_s REAL, target_dispersion REAL, keep_samples INTEGER NOT NULL, cold_cache INTEGER NOT NULL,
  err_ratio_limit REAL, atol REAL, rtol REAL, full_reference_flops INTEGER NOT NULL, seed INTEGER NOT NULL,
  cold_instructions INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE trials (
  id INTEGER PRIMARY KEY,
  time_utc TEXT NOT NULL,
  problem_id INTEGER NOT NULL REFERENCES problems(id),
  candidate_id INTEGER NOT NULL REFERENCES candidates(id),
  library_id INTEGER NOT NULL,
  context_id INTEGER NOT NULL REFERENCES contexts(id),
  device_id INTEGER NOT NULL REFERENCES devices(id),
  stage TEXT NOT NULL,
  outcome TEXT NOT NULL,
  reason TEXT NOT NULL,
  median_us REAL, min_us REAL, mean_us REAL, low_us REAL, high_us REAL, dispersion REAL,
  sample_count INTEGER NOT NULL, samples_us TEXT NOT NULL, turns TEXT NOT NULL DEFAULT '[]',
  pack_us REAL, packed_bytes INTEGER NOT NULL, workspace_bytes INTEGER NOT NULL,
  clock_mhz REAL, throttled INTEGER NOT NULL,
  err_ratio REAL, worst_error REAL, worst_share_of_bound REAL,
  unwritten INTEGER NOT NULL, checked INTEGER NOT NULL, guards_intact INTEGER NOT NULL,
  kernel_s REAL, prepare_s REAL, operands_s REAL, reference_s REAL, verify_s REAL
);
CREATE INDEX trials_by_key ON trials(problem_id, candidate_id, context_id, stage, id);
CREATE TABLE quarantine (
  id INTEGER PRIMARY KEY,
  time_utc TEXT NOT NULL,
  device TEXT NOT NULL,
  problem_id INTEGER NOT NULL REFERENCES problems(id),
  candidate_id INTEGER NOT NULL REFERENCES candidates(id),
  outcome TEXT NOT NULL, reason TEXT NOT NULL, reproducer TEXT NOT NULL,
  UNIQUE (device, problem_id, candidate_id)
);
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  begun_utc TEXT NOT NULL, heartbeat_utc TEXT NOT NULL,
  command_line TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL,
  shapes INTEGER NOT NULL, shapes_done INTEGER NOT NULL, shapes_failed INTEGER NOT NULL,
  state TEXT NOT NULL
);
)sql";

constexpr const char* trial_details = R"sql(
CREATE VIEW trial_details AS
  SELECT trials.id AS trial_id, time_utc,
         problems.text AS problem, m, n, k, batch,
         family, candidates.name AS candidate, params, split_k, library_id,
         stage, outcome, reason,
         median_us, min_us, mean_us, low_us, high_us, dispersion, sample_count, samples_us, turns,
         pack_us, packed_bytes, workspace_bytes, clock_mhz, throttled,
         err_ratio, worst_error, worst_share_of_bound, unwritten, checked, guards_intact,
         kernel_s, prepare_s, operands_s, reference_s, verify_s,
         kind, device_index, devices.name AS device, arch, cu_num, last_level_cache_bytes, memory_bytes,
         features, driver, libraries,
         family_version, policy_stage, warmup, min_samples, max_samples, max_sampling_s, target_dispersion,
         keep_samples, cold_cache, err_ratio_limit, atol, rtol, full_reference_flops, seed, cold_instructions,
         problem_id, candidate_id, context_id
  FROM trials
  JOIN problems ON problems.id = problem_id
  JOIN candidates ON candidates.id = candidate_id
  JOIN devices ON devices.id = device_id
  JOIN contexts ON contexts.id = context_id;
)sql";

// What was taken out of the quarantine: crashes and hangs up to this trial count no longer.
constexpr const char* lifts = R"sql(
CREATE TABLE lifts (
  id INTEGER PRIMARY KEY,
  time_utc TEXT NOT NULL,
  device TEXT NOT NULL,
  problem_id INTEGER NOT NULL REFERENCES problems(id),
  candidate_id INTEGER NOT NULL REFERENCES candidates(id),
  outcome TEXT NOT NULL, reason TEXT NOT NULL,
  last_trial INTEGER NOT NULL
);
CREATE INDEX lifts_by_key ON lifts(problem_id, candidate_id);
)sql";

constexpr const char* run_details = R"sql(
CREATE TABLE run_results (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs(id),
  time_utc TEXT NOT NULL,
  problem_id INTEGER NOT NULL REFERENCES problems(id),
  winner TEXT NOT NULL, time_us REAL,
  default_choice TEXT NOT NULL, default_us REAL,
  why_failed TEXT NOT NULL,
  claim TEXT NOT NULL DEFAULT '',
  weight REAL NOT NULL DEFAULT 1, layer TEXT NOT NULL DEFAULT '',
  low_us REAL NOT NULL DEFAULT 0, high_us REAL NOT NULL DEFAULT 0,
  default_low_us REAL NOT NULL DEFAULT 0, default_high_us REAL NOT NULL DEFAULT 0,
  UNIQUE (run_id, problem_id)
);
CREATE TABLE run_lines (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs(id),
  time_utc TEXT NOT NULL,
  text TEXT NOT NULL
);
CREATE INDEX run_lines_by_run ON run_lines(run_id, id);
CREATE TABLE run_files (
  run_id INTEGER NOT NULL REFERENCES runs(id),
  kind TEXT NOT NULL,
  path TEXT NOT NULL,
  UNIQUE (run_id, kind, path)
);
)sql";

int pragma(SQLite::Database& database, const std::string& name) { return database.execAndGet("PRAGMA " + name); }

int version_of(SQLite::Database& database) { return pragma(database, "user_version"); }

bool knows_cold_instructions(SQLite::Database& database) { return version_of(database) >= 3; }

bool knows_turns(SQLite::Database& database) { return version_of(database) >= 4; }

bool knows_lifts(SQLite::Database& database) { return version_of(database) >= 5; }

bool knows_weights(SQLite::Database& database) { return version_of(database) >= 6; }

bool is_empty(SQLite::Database& database) {
  return database.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0;
}

// One transaction: a process that is killed in between leaves an empty database, in which the next one makes the
// tables.
void make_tables(SQLite::Database& database) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  database.exec(tables);
  database.exec(trial_details);
  database.exec(run_details);
  database.exec(lifts);
  database.exec("PRAGMA application_id = " + std::to_string(application_id));
  database.exec("PRAGMA user_version = " + std::to_string(schema_version));
  transaction.commit();
}

// A store of the first version has got the newest table already.
void bring_up_to_weights(SQLite::Database& database) {
  const auto has_them =
      database.execAndGet("SELECT count(*) FROM pragma_table_info('run_results') WHERE name = 'weight'");
  if (has_them.getInt() > 0) return;
  database.exec("ALTER TABLE run_results ADD COLUMN weight REAL NOT NULL DEFAULT 1");
  database.exec("ALTER TABLE run_results ADD COLUMN layer TEXT NOT NULL DEFAULT ''");
  for (const std::string end : {"low_us", "high_us", "default_low_us", "default_high_us"})
    database.exec("ALTER TABLE run_results ADD COLUMN " + end + " REAL NOT NULL DEFAULT 0");
}

/// From one of the first three versions to the fourth.
void bring_up_to_turns(SQLite::Database& database) {
  if (!has_run_details(database))
    database.exec(run_details);
  else
    database.exec("ALTER TABLE run_results ADD COLUMN claim TEXT NOT NULL DEFAULT ''");
  if (!knows_cold_instructions(database))
    database.exec("ALTER TABLE contexts ADD COLUMN cold_instructions INTEGER NOT NULL DEFAULT 0");
  database.exec("ALTER TABLE trials ADD COLUMN turns TEXT NOT NULL DEFAULT '[]'");
  database.exec("DROP VIEW trial_details");
  database.exec(trial_details);
}

void bring_up_to_date(SQLite::Database& database) {
  if (version_of(database) == schema_version) return;
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  if (!knows_turns(database)) bring_up_to_turns(database);
  if (!knows_lifts(database)) database.exec(lifts);
  bring_up_to_weights(database);
  database.exec("PRAGMA user_version = " + std::to_string(schema_version));
  transaction.commit();
}

}  // namespace

void prepare_schema(SQLite::Database& database, const std::filesystem::path& path) {
  if (!is_empty(database)) check_schema(database, path);  // before anything is changed in a file that may not be ours
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("PRAGMA synchronous = NORMAL");  // store.h says when what is written reaches the disk
  database.exec("PRAGMA foreign_keys = ON");
  if (is_empty(database)) make_tables(database);
  bring_up_to_date(database);
}

bool has_run_details(SQLite::Database& database) { return version_of(database) >= 2; }

void complete_for_reading(SQLite::Database& database) {
  if (!knows_lifts(database))
    database.exec(
        "CREATE TEMP TABLE lifts (device TEXT, problem_id INTEGER, candidate_id INTEGER, last_trial INTEGER)");
  if (!knows_weights(database) && has_run_details(database))
    database.exec(std::string("CREATE TEMP VIEW run_results AS SELECT *") +
                  (knows_turns(database) ? "" : ", '' AS claim") +
                  ", 1.0 AS weight, '' AS layer, 0.0 AS low_us, 0.0 AS high_us, 0.0 AS default_low_us,"
                  " 0.0 AS default_high_us FROM main.run_results");
  if (knows_turns(database)) return;
  const std::string cold = knows_cold_instructions(database) ? "" : ", 0 AS cold_instructions";
  database.exec("CREATE TEMP VIEW trial_details AS SELECT *, '[]' AS turns" + cold + " FROM main.trial_details");
}

void check_schema(SQLite::Database& database, const std::filesystem::path& path) {
  if (pragma(database, "application_id") != application_id) {
    fail(ErrorCode::input, "{} is a database, but not a trials store of gemmtune", path.string());
  }
  const int version = version_of(database);
  if (version > schema_version) {
    fail(ErrorCode::input,
         "the trials store {} has schema version {}, made by a newer gemmtune: this one knows up to {}", path.string(),
         version, schema_version);
  }
}

}  // namespace gemmtune
