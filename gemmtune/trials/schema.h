// The store's tables. Names, problems, devices and contexts stand once each, so that a trial's row is little more than
// its numbers; the view `trial_details` puts everything together for people with a sqlite3 prompt.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>

namespace gemmtune {

inline constexpr int schema_version = 2;  // since 2: run_results, run_lines, run_files

/// Makes the tables when there are none, and those that an older version lacks. Throws Error{input} as check_schema
/// does.
void prepare_schema(SQLite::Database& database, const std::filesystem::path& path);

/// Throws Error{input} when this is another program's database, or one of a newer gemmtune.
void check_schema(SQLite::Database& database, const std::filesystem::path& path);

/// Has it what belongs to runs?
bool has_run_details(SQLite::Database& database);

}  // namespace gemmtune
