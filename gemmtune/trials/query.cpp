#include "gemmtune/trials/query.h"

#include <sqlite3.h>

#include <limits>

#include "gemmtune/core/error.h"
#include "gemmtune/core/visible.h"

namespace gemmtune {

void fail_for(const std::filesystem::path& path, const SQLite::Exception& exception) {
  switch (exception.getErrorCode() & 0xff) {
    case SQLITE_NOTADB:
      fail(ErrorCode::input, "{} is not a trials store: {}", path.string(), exception.what());
    case SQLITE_CORRUPT:
      fail(ErrorCode::input, "the trials store {} is damaged: {}", path.string(), exception.what());
    case SQLITE_FULL:
      fail(ErrorCode::io, "cannot write to the trials store {}: {}; what it had before is kept", path.string(),
           exception.what());
    case SQLITE_IOERR:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      fail(ErrorCode::io, "cannot use the trials store {}: {}", path.string(), exception.what());
    default:
      fail(ErrorCode::internal, "the trials store {}: {}", path.string(), exception.what());
  }
}

bool Query::step() {
  read_ = 0;
  return statement_.executeStep();
}

std::string Query::shown_text() { return visible_line(text()); }

double Query::real() {
  const SQLite::Column column = statement_.getColumn(read_++);
  return column.isNull() ? std::numeric_limits<double>::quiet_NaN() : column.getDouble();
}

SQLite::Statement& Connection::prepared(const char* sql) {
  const auto at = statements_.find(sql);
  if (at != statements_.end()) return at->second;
  return statements_.emplace(sql, SQLite::Statement(database_, sql)).first->second;
}

}  // namespace gemmtune
