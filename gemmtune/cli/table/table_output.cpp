#include "gemmtune/cli/table/table_output.h"

#include <fmt/format.h>

#include <filesystem>

#include "gemmtune/cli/table/table_inputs.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"

namespace gemmtune {

void TableOutput::declare(Options& options) { options.add_option("-o,--output", path_); }

void TableOutput::insist_on_new_file(const std::vector<std::string>& inputs) const {
  if (is_stdout()) return;
  for (const auto& input : table_paths(inputs)) {
    std::error_code error;
    if (std::filesystem::equivalent(input, path_, error))
      fail(ErrorCode::usage, "--output: {} is one of the inputs, which are never changed", path_);
  }
}

void TableOutput::write(const Sheet& sheet) const {
  const auto text = sheet_text(sheet);
  if (is_stdout())
    fmt::print("{}", text);
  else
    write_file_atomically(path_, text);
}

}  // namespace gemmtune
