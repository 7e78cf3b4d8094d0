#include "gemmtune/cli/table/table_output.h"

#include "gemmtune/cli/output.h"
#include "gemmtune/cli/table/table_inputs.h"
#include "gemmtune/core/files.h"

namespace gemmtune {

void TableOutput::declare(Options& options) { options.add_option("-o,--output", path_); }

void TableOutput::insist_on_new_file(const std::vector<std::string>& inputs) const {
  if (!is_stdout()) refuse_to_overwrite(path_, table_paths(inputs));
}

void TableOutput::write(const Sheet& sheet) const {
  const auto text = sheet_text(sheet);
  if (is_stdout())
    write_data(text);
  else
    write_file_atomically(path_, text);
}

}  // namespace gemmtune
