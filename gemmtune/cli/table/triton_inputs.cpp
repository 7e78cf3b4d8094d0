#include "gemmtune/cli/table/triton_inputs.h"

#include <algorithm>
#include <cstdio>

#include "gemmtune/cli/output.h"
#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

NamedTritonFile read(const std::filesystem::path& path) {
  const auto name = parse_triton_path(path);
  if (!name)
    fail(ErrorCode::input,
         "{}: its name is not that of a Triton configuration: expected DEVICE-GEMM-TAG[-N=…-K=…].json, or the folders "
         "DEVICE/triton/gemm/FAMILY",
         path.string());
  return {*name, read_triton_json(path)};
}

/// The configurations below a folder, in the order of their paths.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() == ".json" && parse_triton_path(entry.path()))
      paths.push_back(entry.path());
  std::ranges::sort(paths);
  if (paths.empty())
    fail(ErrorCode::input, "{}: no file below it is a Triton configuration of a GEMM", folder.string());
  return paths;
}

}  // namespace

std::vector<NamedTritonFile> read_triton_files(const std::vector<std::string>& paths) {
  std::vector<NamedTritonFile> files;
  for (const auto& argument : paths) {
    const std::filesystem::path path(argument);
    if (!std::filesystem::is_directory(path)) {
      files.push_back(read(path));
      continue;
    }
    for (const auto& file : files_below(path)) files.push_back(read(file));
  }
  return files;
}

void name_left_out(const std::vector<LeftOut>& left_out) {
  for (const auto& [where, reason] : left_out) print_note("{}: left out: {}\n", where, reason);
}

}  // namespace gemmtune
