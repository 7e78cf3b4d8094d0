#include "gemmtune/trials/runs.h"

#include <unistd.h>

#include "gemmtune/core/clock.h"
#include "gemmtune/core/error.h"
#include "gemmtune/trials/writer_lock.h"

namespace gemmtune {

std::int64_t insert_run(Connection& connection, const std::string& command_line, std::int64_t shape_count) {
  const std::string now = utc_now();
  Query query(
      connection.prepared("INSERT INTO runs (begun_utc, heartbeat_utc, command_line, host, pid, shapes, shapes_done,"
                          " shapes_failed, state) VALUES (?, ?, ?, ?, ?, ?, 0, 0, 'running')"));
  query.bind(now).bind(now).bind(command_line).bind(host_name()).bind(int{::getpid()}).bind(shape_count).run();
  return connection.database().getLastInsertRowid();
}

void note_progress(Connection& connection, const RunProgress& progress) {
  Query query(connection.prepared(
      "UPDATE runs SET heartbeat_utc = ?, shapes_done = ?, shapes_failed = ?, state = ? WHERE id = ?"));
  query.bind(utc_now()).bind(progress.shapes_done).bind(progress.shapes_failed).bind(progress.state);
  query.bind(progress.run).run();
}

std::vector<Run> all_runs(Connection& connection) {
  Query query(
      connection.prepared("SELECT id, begun_utc, heartbeat_utc, command_line, host, pid, shapes, shapes_done,"
                          " shapes_failed, state FROM runs ORDER BY id"));
  std::vector<Run> runs;
  while (query.step()) {
    runs.push_back({.id = query.integer(),
                    .begun_utc = query.text(),
                    .heartbeat_utc = query.text(),
                    .command_line = query.text(),
                    .host = query.text(),
                    .pid = query.integer(),
                    .shapes = query.integer(),
                    .shapes_done = query.integer(),
                    .shapes_failed = query.integer(),
                    .state = query.text()});
  }
  return runs;
}

}  // namespace gemmtune
