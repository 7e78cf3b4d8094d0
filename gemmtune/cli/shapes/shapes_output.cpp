#include "gemmtune/cli/shapes/shapes_output.h"

#include "gemmtune/cli/output.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/shapes/shape_csv.h"

namespace gemmtune {
namespace {

void write_list(const std::filesystem::path& path, const std::vector<Shape>& shapes) {
  write_file_atomically(path, shape_list_text(shapes));
  print_note("{}: {} shapes\n", path.string(), shapes.size());
}

}  // namespace

void ShapesOutput::declare(Options& options) {
  options.add_option("-o,--output", path_);
  options.add_flag("--by-format", by_format_);
}

void ShapesOutput::write(const std::vector<Shape>& shapes, const std::vector<std::string>& inputs) const {
  if (path_.empty()) {
    if (by_format_) fail(ErrorCode::usage, "--by-format makes several files: say with -o how to name them");
    write_data(shape_list_text(shapes));
    return;
  }
  const std::vector<std::filesystem::path> given(inputs.begin(), inputs.end());
  std::vector<std::pair<std::filesystem::path, std::vector<Shape>>> files;
  if (by_format_)
    for (auto& [format, group] : gemmtune::by_format(shapes)) files.emplace_back(path_for_format(path_, format), group);
  else
    files.emplace_back(path_, shapes);
  for (const auto& [path, group] : files) refuse_to_overwrite(path, given);
  for (const auto& [path, group] : files) write_list(path, group);
}

}  // namespace gemmtune
