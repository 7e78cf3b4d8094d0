// Where the commands that make shape lists put them: one file, one for each format, or stdout.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/cli/options.h"
#include "gemmtune/shapes/shape_list.h"

namespace gemmtune {

class ShapesOutput {
 public:
  /// -o, --by-format.
  void declare(Options& options);

  /// Says on stderr what was written where. Throws Error: usage for --by-format without a file, io.
  void write(const std::vector<Shape>& shapes) const;

 private:
  std::string path_;
  bool by_format_{};
};

}  // namespace gemmtune
