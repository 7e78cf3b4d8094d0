#include "gemmtune/core/csv.h"

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

/// Reads one document from left to right; a quoted cell may span lines.
class Parser {
 public:
  Parser(std::string_view text, const std::string& source) : text_(text), source_(source) {
    if (text_.starts_with("\xEF\xBB\xBF")) position_ = line_start_ = 3;
  }

  /// The next line that is not blank, or nothing at the end.
  std::optional<CsvRow> next_row() {
    while (position_ < text_.size()) {
      CsvRow row = read_line();
      if (row.cells.size() > 1 || !row.cells.front().text.empty()) return row;
    }
    return std::nullopt;
  }

 private:
  CsvRow read_line() {
    CsvRow row{.line = line_};
    line_start_ = position_;
    do {
      row.cells.push_back(read_cell());
    } while (take(','));
    row.raw = text_.substr(line_start_, position_ - line_start_);
    if (row.raw.ends_with('\r')) row.raw.pop_back();
    take_line_end();
    return row;
  }

  CsvCell read_cell() {
    skip_blanks();
    CsvCell cell{.text = {}, .column = static_cast<std::int64_t>(position_ - line_start_) + 1};
    if (at('"')) cell.text = read_quoted(cell.column);
    const auto start = position_;
    while (position_ < text_.size() && !at(',') && !at('\n') && !at_lone_cr()) ++position_;
    const auto rest = text_.substr(start, position_ - start);
    if (const auto nul = rest.find('\0'); nul != std::string_view::npos)
      fail_at(static_cast<std::int64_t>(start + nul - line_start_) + 1, "a NUL byte: this is not a text file");
    cell.text += trim(rest);
    return cell;
  }

  std::string read_quoted(std::int64_t column) {
    const auto opened_at_line = line_;
    std::string content;
    ++position_;
    for (; position_ < text_.size(); ++position_) {
      if (at('"')) {
        ++position_;
        if (!at('"')) return content;
      } else if (at('\n')) {
        ++line_;
      }
      content += text_[position_];
    }
    fail(ErrorCode::input, "{}:{}:{}: a quote that is never closed", source_, opened_at_line, column);
  }

  void take_line_end() {
    if (at('\r')) ++position_;
    if (at('\n')) ++position_;
    ++line_;
  }

  bool take(char c) {
    if (!at(c)) return false;
    ++position_;
    return true;
  }
  void skip_blanks() {
    while (at(' ') || at('\t')) ++position_;
  }
  bool at(char c) const { return position_ < text_.size() && text_[position_] == c; }

  /// A CR that ends a line by itself, as old Mac files have it.
  bool at_lone_cr() const { return at('\r') && !(position_ + 1 < text_.size() && text_[position_ + 1] == '\n'); }

  [[noreturn]] void fail_at(std::int64_t column, std::string_view what) const {
    fail(ErrorCode::input, "{}:{}:{}: {}", source_, line_, column, what);
  }

  std::string_view text_;
  const std::string& source_;
  std::size_t position_{};
  std::size_t line_start_{};
  std::int64_t line_{1};
};

}  // namespace

std::optional<std::size_t> CsvDocument::column(std::string_view name) const {
  for (std::size_t i = 0; i < header.size(); ++i)
    if (equals_ignoring_case(header[i], name)) return i;
  return std::nullopt;
}

std::string_view CsvDocument::text(const CsvRow& row, std::optional<std::size_t> column) const {
  return column && *column < row.cells.size() ? std::string_view(row.cells[*column].text) : std::string_view();
}

std::string CsvDocument::where(const CsvRow& row, std::optional<std::size_t> column) const {
  const auto& cell = column && *column < row.cells.size() ? row.cells[*column] : row.cells.back();
  return fmt::format("{}:{}:{}", source, row.line, cell.column);
}

CsvDocument parse_csv(std::string_view text, std::string source) {
  CsvDocument document{.source = std::move(source), .header = {}, .rows = {}};
  Parser parser(text, document.source);
  auto header = parser.next_row();
  if (!header) fail(ErrorCode::input, "{}:1:1: the file is empty, expected a header line", document.source);
  for (auto& cell : header->cells) document.header.push_back(std::move(cell.text));
  while (auto row = parser.next_row()) document.rows.push_back(std::move(*row));
  return document;
}

CsvDocument read_csv(const std::filesystem::path& path) { return parse_csv(read_file(path), path.string()); }

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const auto& cell : cells) {
    if (&cell != &cells.front()) line += ',';
    const bool quote = cell.find_first_of(",\"\r\n") != std::string::npos || trim(cell).size() != cell.size();
    if (!quote) {
      line += cell;
      continue;
    }
    line += '"';
    for (const char c : cell) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }
  return line;
}

}  // namespace gemmtune
