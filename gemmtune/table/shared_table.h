// A tuned table on disk to which several processes add rows at the same time, each its own. Not: which rows those are.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "gemmtune/table/tuned_table.h"

namespace gemmtune {

class SharedTable {
 public:
  struct Kind {
    Format format{Format::a16w16};
    Schema schema{Schema::seed};  // of a table that is new or empty
    bool sort{};
    std::function<TunedTable(TunedTable)>
        fit{};  // makes a table that was read fit for our rows; may throw, may be empty
  };

  SharedTable(std::filesystem::path path, Kind kind);

  /// The table as it is now. A stream (core/files.h) has no rows.
  TunedTable read() const;

  /// Has the row written by the next write(), in place of all rows with its key.
  void add(TunedRow row);

  /// Locks the file, reads it again and writes it with our rows. Rows that others wrote in the meantime stay. Of our
  /// earlier rows, those whose key is not in the file any more are added again. A stream is written by finish() alone.
  /// Throws Error: io if the file cannot be locked or written, and what reading it throws.
  void write();

  /// The last write(). Streams get the whole table.
  void finish();

  const std::filesystem::path& path() const { return path_; }

 private:
  TunedTable present() const;

  std::filesystem::path path_;
  Kind kind_;
  bool is_stream_{};
  std::vector<TunedRow> rows_{};  // ours
  std::size_t written_{};         // how many of them
  TunedTable last_{};             // what was written last, so that an unchanged file need not be parsed
  std::string last_text_{};
};

}  // namespace gemmtune
