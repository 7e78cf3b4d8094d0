// SQLite statements for the store: prepared once, bound in order, read in order, and reset after each use.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/core/visible.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {

/// Throws the SQLite exception as Error: {input} when the file is not a store or is damaged, {io} when the operating
/// system refuses an operation.
[[noreturn]] void fail_for(const std::filesystem::path& path, const SQLite::Exception& exception);

template <typename Work>
auto translating_errors(const std::filesystem::path& path, Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const SQLite::Exception& exception) {
    fail_for(path, exception);
  }
}

/// One use of a prepared statement. The destructor resets the statement, so that no read transaction stays open.
class Query {
 public:
  explicit Query(SQLite::Statement& statement) : statement_(statement) {}
  ~Query() { statement_.tryReset(); }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  template <typename Value>
  Query& bind(const Value& value) {
    statement_.bind(++bound_, value);
    return *this;
  }
  Query& bind(std::string_view text) { return bind(std::string(text)); }
  Query& bind(const char* text) { return bind(std::string(text)); }

  /// Advances to the next row. Returns false when there is none.
  bool step();

  /// Executes a statement that returns no rows.
  void run() { statement_.exec(); }

  std::int64_t integer() { return statement_.getColumn(read_++).getInt64(); }
  std::string text() { return statement_.getColumn(read_++).getString(); }
  bool flag() { return integer() != 0; }

  /// Text that other programs wrote and that is shown to people: one printable line (core/visible.h).
  std::string shown_text();

  /// NULL is read as NaN, which SQLite cannot store.
  double real();

 private:
  SQLite::Statement& statement_;
  int bound_{};
  int read_{};
};

/// A database connection and its prepared statements.
class Connection {
 public:
  Connection(const std::string& filename, int flags) : database_(filename, flags, busy_timeout_ms) {}

  SQLite::Database& database() { return database_; }

  /// `sql` must live as long as the connection: a literal.
  SQLite::Statement& prepared(const char* sql);

  /// Reads a row of this table. One that cannot be read, for which `read` throws Error{input}, is noted and skipped.
  template <typename Read>
  void read_row(const char* table, std::int64_t id, Read&& read) {
    try {
      read();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::input) throw;
      damaged_.insert({.table = table, .id = id, .why = visible_line(error.what(), 300)});
    }
  }

  std::vector<DamagedRow> damaged() const { return {damaged_.begin(), damaged_.end()}; }

 private:
  static constexpr int busy_timeout_ms =
      10'000;  // a reader that recovers the file after a kill may hold the lock for a moment

  SQLite::Database database_;
  std::map<const char*, SQLite::Statement> statements_{};
  std::set<DamagedRow> damaged_{};
};

}  // namespace gemmtune
