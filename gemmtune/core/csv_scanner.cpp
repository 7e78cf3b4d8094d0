#include "gemmtune/core/csv_scanner.h"

#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

bool may_end_a_cell(char c) { return c == ',' || c == '\n' || c == '\r' || c == '\0'; }

/// trim(), fast for cells that need no trimming, which are most.
std::string_view trimmed(std::string_view text) {
  const auto is_inner = [](char c) { return c > ' '; };
  return text.empty() || (is_inner(text.front()) && is_inner(text.back())) ? text : trim(text);
}

}  // namespace

CsvScanner::CsvScanner(std::string_view text, std::string source) : text_(text), source_(std::move(source)) {
  if (text_.starts_with("\xEF\xBB\xBF")) position_ = 3;
}

bool CsvScanner::next() {
  while (position_ < text_.size()) {
    read_line();
    if (fields_.size() > 1 || !fields_.front().text.empty()) return true;
  }
  return false;
}

void CsvScanner::read_line() {
  row_line_ = line_;
  line_start_ = position_;
  fields_.clear();
  unescaped_.clear();
  fields_.push_back(read_field());
  while (at(',')) {
    ++position_;
    fields_.push_back(read_field());
  }
  raw_ = text_.substr(line_start_, position_ - line_start_);
  if (raw_.ends_with('\r')) raw_.remove_suffix(1);
  take_line_end();
}

CsvField CsvScanner::read_field() {
  while (at(' ') || at('\t')) ++position_;
  const auto column = static_cast<std::int64_t>(position_ - line_start_) + 1;
  if (!at('"')) return {read_plain(), column};
  const auto quoted = read_quoted(column);
  return {joined(quoted, read_plain()), column};
}

std::string_view CsvScanner::read_plain() {
  const auto start = position_;
  for (; position_ < text_.size(); ++position_) {
    const char c = text_[position_];
    if (!may_end_a_cell(c)) continue;
    if (c == '\0') fail_at(position_, "a NUL byte: this is not a text file");
    if (c != '\r' || at_lone_cr()) break;
  }
  return trimmed(text_.substr(start, position_ - start));
}

std::string_view CsvScanner::read_quoted(std::int64_t column) {
  const auto opened_at_line = line_;
  auto start = ++position_;
  std::string* unescaped = nullptr;
  for (; position_ < text_.size(); ++position_) {
    if (at('\n')) ++line_;
    if (!at('"')) continue;
    const auto piece = text_.substr(start, position_ - start);
    ++position_;
    if (!at('"')) return unescaped == nullptr ? piece : std::string_view(unescaped->append(piece));
    if (unescaped == nullptr) unescaped = &unescaped_.emplace_back();
    unescaped->append(piece);
    start = position_;  // the second of two quotes belongs to the cell
  }
  fail(ErrorCode::input, "{}:{}:{}: a quote that is never closed", source_, opened_at_line, column);
}

/// Text after a closing quote belongs to the cell as well.
std::string_view CsvScanner::joined(std::string_view quoted, std::string_view rest) {
  return rest.empty() ? quoted : unescaped_.emplace_back(std::string(quoted).append(rest));
}

void CsvScanner::take_line_end() {
  if (at('\r')) ++position_;
  if (at('\n')) ++position_;
  ++line_;
}

/// A CR alone ends a line, as in old Mac files.
bool CsvScanner::at_lone_cr() const {
  return at('\r') && !(position_ + 1 < text_.size() && text_[position_ + 1] == '\n');
}

void CsvScanner::fail_at(std::size_t position, std::string_view what) const {
  fail(ErrorCode::input, "{}:{}:{}: {}", source_, line_, position - line_start_ + 1, what);
}

}  // namespace gemmtune
