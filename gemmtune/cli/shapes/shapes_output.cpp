#include "gemmtune/cli/shapes/shapes_output.h"

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/shapes/shape_csv.h"

namespace gemmtune {
namespace {

void write_list(const std::filesystem::path& path, const std::vector<Shape>& shapes) {
  write_file_atomically(path, shape_list_text(shapes));
  fmt::print(stderr, "{}: {} shapes\n", path.string(), shapes.size());
}

}  // namespace

void ShapesOutput::declare(Options& options) {
  options.add_option("-o,--output", path_);
  options.add_flag("--by-format", by_format_);
}

void ShapesOutput::write(const std::vector<Shape>& shapes) const {
  if (path_.empty()) {
    if (by_format_) fail(ErrorCode::usage, "--by-format makes several files: say with -o how to name them");
    fmt::print("{}", shape_list_text(shapes));
    return;
  }
  if (!by_format_) return write_list(path_, shapes);
  for (const auto& [format, group] : gemmtune::by_format(shapes)) write_list(path_for_format(path_, format), group);
}

}  // namespace gemmtune
