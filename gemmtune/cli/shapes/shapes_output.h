// Where commands that make shape lists write them: to one file, to one file for each format, or to stdout.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gemmtune/cli/options.h"
#include "gemmtune/shapes/shape_list.h"

namespace gemmtune {

class ShapesOutput {
 public:
  /// Adds -o, --by-format and --columns.
  void declare(Options& options);

  /// Says on stderr what was written to which file. Throws Error: usage for --by-format without a file, for shapes of
  /// several formats in one of AITER's lists, and if a file is one of the inputs; io.
  void write(const std::vector<Shape>& shapes, const std::vector<std::string>& inputs) const;

 private:
  std::string text_of(const std::vector<Shape>& shapes) const;
  void write_list(const std::filesystem::path& path, const std::vector<Shape>& shapes) const;

  std::string path_;
  bool by_format_{};
  std::string columns_{"gemmtune"};
};

}  // namespace gemmtune
