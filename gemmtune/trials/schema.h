// The store's tables. Names, problems, devices and contexts stand once each, so that a trial's row is little more than
// its numbers; the view `trial_details` puts everything together for people with a sqlite3 prompt.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>

namespace gemmtune {

/// Since 2: run_results, run_lines, run_files. Since 3: contexts.cold_instructions.
inline constexpr int schema_version = 3;

/// Makes the tables when there are none, and those that an older version lacks. Throws Error{input} as check_schema
/// does.
void prepare_schema(SQLite::Database& database, const std::filesystem::path& path);

/// For a connection that may not change an older store: the view is complete on this connection, as the newest version
/// would have it.
void complete_for_reading(SQLite::Database& database);

/// Throws Error{input} when this is another program's database, or one of a newer gemmtune.
void check_schema(SQLite::Database& database, const std::filesystem::path& path);

/// Has it what belongs to runs?
bool has_run_details(SQLite::Database& database);

}  // namespace gemmtune
