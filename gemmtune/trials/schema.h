// The tables of the store. Each name, problem, device and context is stored once, so that the row of a trial holds
// little more than its numbers. The view `trial_details` joins everything for queries at a sqlite3 prompt.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>

namespace gemmtune {

/// Since 2: run_results, run_lines, run_files. Since 3: contexts.cold_instructions. Since 4: trials.turns, which is
/// '[]' for the samples of older trials, and run_results.claim. Since 5: lifts. Since 6: weights, layers and intervals
/// of run_results.
inline constexpr int schema_version = 6;

/// Creates the tables of an empty database, and adds to older stores what they lack. Throws Error{input} as
/// check_schema does.
void prepare_schema(SQLite::Database& database, const std::filesystem::path& path);

/// Gives this connection temporary views with the columns of the newest version. For connections that must not change
/// an older store.
void complete_for_reading(SQLite::Database& database);

/// Throws Error{input} when the database belongs to another program or to a newer gemmtune.
void check_schema(SQLite::Database& database, const std::filesystem::path& path);

/// Whether the database has the tables for the details of runs.
bool has_run_details(SQLite::Database& database);

}  // namespace gemmtune
