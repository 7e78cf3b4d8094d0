#include "gemmtune/cli/fleet/profile_rows.h"

#include "gemmtune/core/files.h"

namespace gemmtune {
namespace {

void add_columns(CsvDocument& to, const CsvDocument& from) {
  for (const auto& name : from.header)
    if (!to.column(name)) to.header.push_back(name);
}

void add_rows(CsvDocument& to, const CsvDocument& from) {
  for (const auto& row : from.rows) {
    CsvRow moved{.line = row.line};
    for (const auto& name : to.header) moved.cells.push_back({.text = std::string(from.text(row, from.column(name)))});
    to.rows.push_back(std::move(moved));
  }
}

}  // namespace

CsvDocument joined(const std::vector<CsvDocument>& documents) {
  CsvDocument all;
  for (const auto& document : documents) add_columns(all, document);
  for (const auto& document : documents) add_rows(all, document);
  return all;
}

std::string csv_text(const CsvDocument& document) {
  auto text = csv_line(document.header) + '\n';
  for (const auto& row : document.rows) {
    std::vector<std::string> cells;
    for (const auto& cell : row.cells) cells.push_back(cell.text);
    text += csv_line(cells) + '\n';
  }
  return text;
}

void add_profiles(const std::filesystem::path& file, const std::vector<std::filesystem::path>& profiles) {
  std::vector<CsvDocument> documents;
  std::error_code error;
  if (std::filesystem::file_size(file, error) > 0 && !error) documents.push_back(read_csv(file));
  for (const auto& profile : profiles) documents.push_back(read_csv(profile));
  if (!documents.empty()) write_file_atomically(file, csv_text(joined(documents)));
}

}  // namespace gemmtune
