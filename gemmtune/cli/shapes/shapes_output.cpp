#include "gemmtune/cli/shapes/shapes_output.h"

#include "gemmtune/cli/output.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"
#include "gemmtune/gemm/format.h"
#include "gemmtune/shapes/shape_csv.h"

namespace gemmtune {
namespace {

/// The format of all of them. AITER's lists have one.
Format one_format_of(const std::vector<Shape>& shapes) {
  const auto groups = by_format(shapes);
  const auto format = groups.size() == 1 ? parse_format(groups.begin()->first) : std::nullopt;
  if (format) return *format;
  std::vector<std::string> names;
  for (const auto& [name, group] : groups) names.push_back(name);
  fail(ErrorCode::usage,
       "--columns aiter: a list of AITER's has one of its formats, these shapes are of {}: add --by-format",
       names.empty() ? "none" : join(names, ", "));
}

}  // namespace

std::string ShapesOutput::text_of(const std::vector<Shape>& shapes) const {
  if (columns_ != "aiter") return shape_list_text(shapes);
  auto list = aiter_list(shapes, one_format_of(shapes));
  if (!list.left_out.empty())
    print_note("{} shapes are left out, since AITER's columns do not say all of them, the first: {}\n",
               list.left_out.size(), to_string(list.left_out.front().problem));
  return std::move(list.text);
}

void ShapesOutput::write_list(const std::filesystem::path& path, const std::vector<Shape>& shapes) const {
  write_file_atomically(path, text_of(shapes));
  print_note("{}: {} shapes\n", path.string(), shapes.size());
}

void ShapesOutput::declare(Options& options) {
  options.add_option("-o,--output", path_);
  options.add_flag("--by-format", by_format_);
  options.add_option("--columns", columns_).one_of({"gemmtune", "aiter"});
}

void ShapesOutput::write(const std::vector<Shape>& shapes, const std::vector<std::string>& inputs) const {
  if (path_.empty()) {
    if (by_format_) fail(ErrorCode::usage, "--by-format makes several files: say with -o how to name them");
    write_data(text_of(shapes));
    return;
  }
  const std::vector<std::filesystem::path> given(inputs.begin(), inputs.end());
  std::vector<std::pair<std::filesystem::path, std::vector<Shape>>> files;
  if (by_format_)
    for (auto& [format, group] : gemmtune::by_format(shapes)) files.emplace_back(path_for_format(path_, format), group);
  else
    files.emplace_back(path_, shapes);
  for (const auto& [path, group] : files) refuse_to_overwrite(path, given);
  for (const auto& [path, group] : files) {
    const bool is_of_none = columns_ == "aiter" && by_format_ && !format_of(group.front().problem);
    if (is_of_none)
      print_note("{} shapes are left out, since they are of none of AITER's formats\n", group.size());
    else
      write_list(path, group);
  }
}

}  // namespace gemmtune
