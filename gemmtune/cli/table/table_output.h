// Where a command of `gemmtune table` writes the table it made.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/cli/options.h"
#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {

/// Writes to a file, atomically, or to stdout. Never to one of the inputs.
class TableOutput {
 public:
  /// Adds -o, --output.
  void declare(Options& options);

  /// Throws Error{usage} if the output is one of the inputs. Call it before the work.
  void insist_on_new_file(const std::vector<std::string>& inputs) const;

  void write(const Sheet& sheet) const;

  bool is_stdout() const { return path_.empty(); }

 private:
  std::string path_;
};

}  // namespace gemmtune
