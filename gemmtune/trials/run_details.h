// Reads and writes the tables run_results, run_lines and run_files, which `gemmtune status` shows.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gemmtune/trials/query.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {

void insert_result(Connection& connection, std::int64_t run, const RunResult& result);
void insert_line(Connection& connection, std::int64_t run, const std::string& text);
void insert_file(Connection& connection, std::int64_t run, const RunFile& file);

/// Empty for stores of the first schema version.
std::vector<RunResult> results_of(Connection& connection, std::int64_t run);
std::vector<RunLine> last_lines_of(Connection& connection, std::int64_t run, std::int64_t count);
std::vector<RunFile> files_of(Connection& connection, std::int64_t run);

std::map<Outcome, std::int64_t> outcomes_between(Connection& connection, const std::string& begin_utc,
                                                 const std::string& end_utc);

}  // namespace gemmtune
