#include "gemmtune/dispatch/load_tables.h"

#include "gemmtune/core/csv_scanner.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/table/aiter_csv.h"
#include "gemmtune/table/dialect.h"

namespace gemmtune {
namespace {

/// Reads the rows of one table, always into the same TunedRow.
class RowReader {
 public:
  RowReader(std::string_view text, const TableSource& source)
      : scanner_(text, source.path.string()), defaults_{.problem = defaults_of(source.family)} {
    read_header(source.family);
  }

  /// The next row that can be served, or null at the end.
  const TunedRow* next() {
    while (scanner_.next()) {
      row_ = defaults_;
      if (auto why = read_row(); why.empty())
        return &row_;
      else
        skipped_.push_back({scanner_.line(), std::move(why)});
    }
    return nullptr;
  }

  std::int64_t line() const { return scanner_.line(); }
  std::vector<SkippedLine> skipped() && { return std::move(skipped_); }

 private:
  void read_header(const TableFamily& family) {
    std::vector<std::string> names;
    if (scanner_.next())
      for (const auto& field : scanner_.fields()) names.emplace_back(field.text);
    const CsvDocument header{.source = scanner_.source(), .header = names};
    columns_ = read_tuned_table(header, family.format).columns;
  }

  /// Why the line cannot be served, or "".
  std::string read_row() {
    const auto fields = scanner_.fields();
    if (fields.size() > columns_.size()) return at(fields[columns_.size()], "expected the end of the line");
    if (fields.size() < columns_.size()) return at(fields.back(), "the last cell, expected more");
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto field = columns_[i].field;
      if (fields[i].text.empty() && !is_key(field) && field != Field::time_us) continue;
      if (fields[i].text.empty() || !parse_cell(field, fields[i].text, row_))
        return at(fields[i], fmt::format("expected a value of {}", columns_[i].name));
    }
    const auto why = why_invalid(row_.problem);
    return why.empty() ? why : at(fields.front(), why);
  }

  std::string at(const CsvField& field, std::string_view expected) const {
    return fmt::format("{}:{}:{}: found '{}', {}", scanner_.source(), scanner_.line(), field.column, field.text,
                       expected);
  }

  CsvScanner scanner_;
  TunedRow defaults_;
  TunedRow row_;
  std::vector<Column> columns_;
  std::vector<SkippedLine> skipped_;
};

std::string note_on(const std::filesystem::path& path, const std::vector<SkippedLine>& skipped) {
  return fmt::format("{}: {} lines cannot be used, the first: {}", path.string(), skipped.size(),
                     skipped.front().reason);
}

}  // namespace

std::vector<SkippedLine> read_rows(std::string_view text, const TableSource& source,
                                   const std::function<void(const TunedRow&, std::int64_t)>& use) {
  RowReader reader(text, source);
  while (const auto* row = reader.next()) use(*row, reader.line());
  return std::move(reader).skipped();
}

LoadedTables load_tables(std::span<const TableSource> sources, const BuildOptions& options) {
  LoadedTables loaded;
  TableIndexBuilder builder(options);
  for (const auto& source : sources) {
    const auto file = source.path.string();
    const auto skipped = read_rows(read_file(source.path), source, [&](const TunedRow& row, std::int64_t line) {
      builder.add(row, source.family, {.file = file, .line = line});
    });
    if (!skipped.empty()) loaded.notes.push_back(note_on(source.path, skipped));
  }
  loaded.index = std::move(builder).build();
  return loaded;
}

}  // namespace gemmtune
