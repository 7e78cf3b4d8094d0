#include "gemmtune/cli/table/table_inputs.h"

#include "gemmtune/cli/output.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

void name_unusable_lines(const Sheet& sheet) {
  for (const auto& line : sheet.unusable) print_note("{}: {}; the line is kept\n", line.where, line.reason);
}

bool is_empty_file(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::file_size(path, error) == 0 && !error;
}

}  // namespace

std::vector<std::filesystem::path> table_paths(const std::vector<std::string>& arguments) {
  std::vector<std::filesystem::path> paths;
  for (const auto& argument : arguments)
    for (const auto path : split(argument, ':'))
      if (!path.empty()) paths.emplace_back(path);
  if (paths.empty()) fail(ErrorCode::usage, "expected one table or more");
  return paths;
}

std::vector<Sheet> read_sheets(const std::vector<std::string>& arguments) {
  std::vector<Sheet> sheets;
  const auto paths = table_paths(arguments);
  for (const auto& path : paths) {
    if (paths.size() > 1 && is_empty_file(path)) {
      print_note("{}: the file is empty, and is left out\n", path.string());
      continue;
    }
    sheets.push_back(read_sheet(path));
    name_unusable_lines(sheets.back());
  }
  return sheets;
}

}  // namespace gemmtune
