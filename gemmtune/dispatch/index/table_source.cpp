#include "gemmtune/dispatch/index/table_source.h"

#include "gemmtune/core/csv_scanner.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"
#include "gemmtune/table/guess_format.h"

namespace gemmtune {
namespace {

std::vector<std::string> header_of(const std::filesystem::path& path) {
  const auto text = read_file(path);
  CsvScanner scanner(text, path.string());
  std::vector<std::string> names;
  if (scanner.next())
    for (const auto& field : scanner.fields()) names.emplace_back(field.text);
  return names;
}

/// Whether this is a batched table of block scales. Its format differs from the batched tables that are supported.
bool is_of_batched_blocks(const TableFamily& family, const std::string& name) {
  return is_batched(family) && name.find("blockscale") != std::string::npos;
}

}  // namespace

Problem defaults_of(const TableFamily& family) {
  auto problem = format_defaults(family.format);
  problem.packed = problem.packed || family.packed;
  return problem;
}

bool is_batched(const TableFamily& family) {
  return family.format == Format::batched_a16w16 || family.format == Format::batched_a8w8;
}

TableSource guess_source(const std::filesystem::path& path) {
  const auto name = path.filename().string();
  const auto guess = guess_format(name, header_of(path));
  if (!guess) fail(ErrorCode::input, "{}: neither its name nor its columns say which format it is for", path.string());
  const TableFamily family{.format = guess->format, .packed = guess->packed};
  if (is_of_batched_blocks(family, name))
    fail(ErrorCode::input, "{}: tables of batched block-scaled problems are not served", path.string());
  return {.path = path, .family = family};
}

std::vector<std::filesystem::path> split_paths(std::string_view colon_list) {
  std::vector<std::filesystem::path> paths;
  for (const auto piece : split(colon_list, ':'))
    if (!trim(piece).empty()) paths.emplace_back(trim(piece));
  return paths;
}

}  // namespace gemmtune
