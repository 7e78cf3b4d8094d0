// Where commands that make shape lists write them: to one file, to one file for each format, or to stdout.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/cli/options.h"
#include "gemmtune/shapes/shape_list.h"

namespace gemmtune {

class ShapesOutput {
 public:
  /// Adds -o and --by-format.
  void declare(Options& options);

  /// Reports on stderr what was written to which file. Throws Error{usage} for --by-format without a file, and
  /// Error{io}.
  void write(const std::vector<Shape>& shapes) const;

 private:
  std::string path_;
  bool by_format_{};
};

}  // namespace gemmtune
