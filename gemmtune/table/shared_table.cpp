#include "gemmtune/table/shared_table.h"

#include <fmt/format.h>

#include <chrono>
#include <set>
#include <span>

#include "gemmtune/core/file_lock.h"
#include "gemmtune/core/files.h"
#include "gemmtune/table/aiter_csv.h"

namespace gemmtune {
namespace {

constexpr auto patience = std::chrono::seconds(60);

std::string key_of(const TunedTable& table, const TunedRow& row) {
  const auto& p = row.problem;
  return fmt::format("{},{},{},{},", p.batch, p.m, p.n, p.k) + key_text(table.columns, row);
}

/// These rows where the table has none of the same key.
TunedTable with_missing(TunedTable table, std::span<const TunedRow> rows) {
  std::set<std::string> keys;
  for (const auto& row : table.rows) keys.insert(key_of(table, row));
  for (const auto& row : rows)
    if (!keys.contains(key_of(table, row))) table.rows.push_back(row);
  return table;
}

}  // namespace

SharedTable::SharedTable(std::filesystem::path path, Kind kind)
    : path_(std::move(path)), kind_(std::move(kind)), is_stream_(is_stream(path_)) {}

TunedTable SharedTable::read() const {
  auto table =
      is_stream_ ? empty_table(kind_.format, kind_.schema) : read_tuned_table(path_, kind_.format, kind_.schema);
  return kind_.fit ? kind_.fit(std::move(table)) : table;
}

void SharedTable::add(TunedRow row) { rows_.push_back(std::move(row)); }

TunedTable SharedTable::present() const {
  if (!last_text_.empty() && read_file(path_) == last_text_) return last_;
  return with_missing(read(), std::span(rows_).first(written_));
}

void SharedTable::write() {
  if (is_stream_) return;
  const FileLock lock(path_, patience);
  auto table = with_rows(present(), std::span(rows_).subspan(written_));
  if (kind_.sort) table = sorted(std::move(table));
  auto text = tuned_table_text(table);
  write_file_atomically(path_, text);
  last_ = std::move(table);
  last_text_ = std::move(text);
  written_ = rows_.size();
}

void SharedTable::finish() {
  if (!is_stream_) return write();
  auto table = with_rows(read(), rows_);
  if (kind_.sort) table = sorted(std::move(table));
  write_file_atomically(path_, tuned_table_text(table));
}

}  // namespace gemmtune
