// Reads CSV row by row without copying cells, for files of a million rows. core/csv.h holds whole documents and
// describes what is accepted; both read files in the same way.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gemmtune {

struct CsvField {
  std::string_view text{};  // trimmed, unquoted
  std::int64_t column{};    // 1-based character position in the line
};

/// Reads one text from left to right. The results of fields() and raw() are valid until the next call of next(), and
/// only as long as the text lives.
class CsvScanner {
 public:
  CsvScanner(std::string_view text, std::string source);

  /// Advances to the next line that is not blank. Returns false at the end. Throws Error{input} with file:line:column
  /// for an unclosed quote and for a NUL byte.
  [[nodiscard]] bool next();

  std::span<const CsvField> fields() const { return fields_; }
  std::string_view raw() const { return raw_; }    // the line as it is in the text, without its end
  std::int64_t line() const { return row_line_; }  // 1-based, of the row's first line
  const std::string& source() const { return source_; }

 private:
  void read_line();
  CsvField read_field();
  std::string_view read_quoted(std::int64_t column);
  std::string_view read_plain();
  std::string_view joined(std::string_view quoted, std::string_view rest);
  void take_line_end();
  bool at(char c) const { return position_ < text_.size() && text_[position_] == c; }
  bool at_lone_cr() const;
  [[noreturn]] void fail_at(std::size_t position, std::string_view what) const;

  std::string_view text_;
  std::string source_;
  std::vector<CsvField> fields_;
  std::deque<std::string> unescaped_;  // quoted cells of this row whose text differs from the input
  std::string_view raw_;
  std::size_t position_{};
  std::size_t line_start_{};
  std::int64_t line_{1};
  std::int64_t row_line_{1};
};

}  // namespace gemmtune
