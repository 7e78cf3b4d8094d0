#include "gemmtune/trials/run_details.h"

#include <algorithm>

#include "gemmtune/core/clock.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/visible.h"
#include "gemmtune/trials/rows.h"
#include "gemmtune/trials/schema.h"

namespace gemmtune {

std::optional<double> RunResult::gain() const {
  const bool is_known = !winner.empty() && !default_choice.empty() && time_us > 0 && default_us > 0;
  return is_known ? std::optional(default_us / time_us) : std::nullopt;
}

void insert_result(Connection& connection, std::int64_t run, const RunResult& result) {
  Query query(connection.prepared(
      "INSERT OR REPLACE INTO run_results (run_id, time_utc, problem_id, winner, time_us, default_choice, default_us,"
      " why_failed, claim, weight, layer, low_us, high_us, default_low_us, default_high_us)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  query.bind(run).bind(utc_now()).bind(id_of(connection, result.problem)).bind(result.winner).bind(result.time_us);
  query.bind(result.default_choice).bind(result.default_us).bind(result.why_failed).bind(result.claim);
  query.bind(result.weight).bind(result.layer).bind(result.low_us).bind(result.high_us);
  query.bind(result.default_low_us).bind(result.default_high_us).run();
}

void insert_line(Connection& connection, std::int64_t run, const std::string& text) {
  Query query(connection.prepared("INSERT INTO run_lines (run_id, time_utc, text) VALUES (?, ?, ?)"));
  query.bind(run).bind(utc_now()).bind(text).run();
}

void insert_file(Connection& connection, std::int64_t run, const RunFile& file) {
  Query query(connection.prepared("INSERT OR IGNORE INTO run_files (run_id, kind, path) VALUES (?, ?, ?)"));
  query.bind(run).bind(file.kind).bind(file.path).run();
}

std::vector<RunResult> results_of(Connection& connection, std::int64_t run) {
  std::vector<RunResult> results;
  if (!has_run_details(connection.database())) return results;
  Query query(connection.prepared(
      "SELECT run_results.id, time_utc, text, winner, time_us, default_choice, default_us, why_failed, claim,"
      " weight, layer, low_us, high_us, default_low_us, default_high_us FROM run_results JOIN problems ON problems.id "
      "= problem_id WHERE run_id = ? ORDER BY"
      " run_results.id"));
  query.bind(run);
  while (query.step()) {
    const auto id = query.integer();
    connection.read_row("run_results", id, [&] {
      results.push_back({.time_utc = query.text(),
                         .problem = parse_problem(query.text()),
                         .winner = query.text(),
                         .time_us = query.real(),
                         .default_choice = query.text(),
                         .default_us = query.real(),
                         .why_failed = query.text(),
                         .claim = query.text(),
                         .weight = query.real(),
                         .layer = query.text(),
                         .low_us = query.real(),
                         .high_us = query.real(),
                         .default_low_us = query.real(),
                         .default_high_us = query.real()});
    });
  }
  return results;
}

std::vector<RunLine> last_lines_of(Connection& connection, std::int64_t run, std::int64_t count) {
  std::vector<RunLine> lines;
  if (!has_run_details(connection.database())) return lines;
  Query query(connection.prepared("SELECT time_utc, text FROM run_lines WHERE run_id = ? ORDER BY id DESC LIMIT ?"));
  query.bind(run).bind(count);
  while (query.step()) lines.push_back({.time_utc = query.text(), .text = query.text()});
  std::ranges::reverse(lines);
  return lines;
}

std::vector<RunFile> files_of(Connection& connection, std::int64_t run) {
  std::vector<RunFile> files;
  if (!has_run_details(connection.database())) return files;
  Query query(connection.prepared("SELECT kind, path FROM run_files WHERE run_id = ? ORDER BY rowid"));
  query.bind(run);
  while (query.step()) files.push_back({.kind = query.text(), .path = query.text()});
  return files;
}

std::map<Outcome, std::int64_t> outcomes_between(Connection& connection, const std::string& begin_utc,
                                                 const std::string& end_utc) {
  Query query(connection.prepared(
      "SELECT outcome, count(*), min(id) FROM trials WHERE time_utc >= ? AND time_utc <= ? GROUP BY outcome"));
  query.bind(begin_utc).bind(end_utc);
  std::map<Outcome, std::int64_t> outcomes;
  while (query.step()) {
    const auto word = query.text();
    const auto outcome = parse_outcome(word);
    const auto count = query.integer();
    connection.read_row("trials", query.integer(), [&] {
      if (!outcome) fail(ErrorCode::input, "it has the unknown word '{}'", visible_start(word, 100));
      outcomes[*outcome] = count;
    });
  }
  return outcomes;
}

}  // namespace gemmtune
