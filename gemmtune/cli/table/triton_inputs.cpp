#include "gemmtune/cli/table/triton_inputs.h"

#include <cstdio>

#include "gemmtune/cli/output.h"
#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

NamedTritonFile read(const std::filesystem::path& path) {
  const auto name = parse_triton_name(path.filename().string());
  if (!name)
    fail(ErrorCode::input, "{}: its name is none of a Triton configuration: expected DEVICE-GEMM-TAG[-N=…-K=…].json",
         path.string());
  return {*name, read_triton_json(path)};
}

}  // namespace

std::vector<NamedTritonFile> read_triton_files(const std::vector<std::string>& paths) {
  std::vector<NamedTritonFile> files;
  for (const auto& path : paths) files.push_back(read(path));
  return files;
}

void name_left_out(const std::vector<LeftOut>& left_out) {
  for (const auto& [where, reason] : left_out) print_note("{}: left out: {}\n", where, reason);
}

}  // namespace gemmtune
