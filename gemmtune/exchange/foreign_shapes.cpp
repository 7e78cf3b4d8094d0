#include "gemmtune/exchange/foreign_shapes.h"

#include <fmt/format.h>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/exchange/cublaslt_log.h"
#include "gemmtune/exchange/hipblaslt_log.h"
#include "gemmtune/exchange/hipblaslt_tuning.h"
#include "gemmtune/exchange/server_config.h"
#include "gemmtune/exchange/tunable_op_file.h"
#include "gemmtune/shapes/shape_csv.h"

namespace gemmtune {
namespace {

ShapeList tuning_shapes(std::string_view text, const std::string& source) {
  auto tuning = read_library_tuning(text, source);
  ShapeList list{.rejected = std::move(tuning.rejected)};
  for (const auto& choice : tuning.choices) list.shapes.push_back({.problem = choice.problem, .where = choice.where});
  list.shapes = without_duplicates(list.shapes);
  return list;
}

}  // namespace

std::optional<ForeignFile> foreign_file(const std::filesystem::path& path, std::string_view text) {
  if (parse_server_config_name(path.filename().string())) return ForeignFile::server_config;
  const auto first = trim(text.substr(0, text.find('\n')));
  if (is_tunable_op_line(first)) return ForeignFile::tunable_op;
  if (tuning_file_of(first)) return ForeignFile::amd_tuning;
  if (text.find("[cublasLt]") != std::string_view::npos) return ForeignFile::cublaslt_log;
  if (is_hipblaslt_bench_line(text)) return ForeignFile::hipblaslt_log;
  return std::nullopt;
}

std::string_view describe(ForeignFile file) {
  switch (file) {
    case ForeignFile::tunable_op:
      return "a file of PyTorch's TunableOp";
    case ForeignFile::amd_tuning:
      return "a tuning file of hipBLASLt or rocBLAS";
    case ForeignFile::hipblaslt_log:
      return "a log of hipblaslt-bench lines";
    case ForeignFile::cublaslt_log:
      return "a log of cuBLASLt";
    default:
      return "a configuration of vLLM or SGLang";
  }
}

std::string known_foreign_files() {
  std::string text;
  for (const auto file :
       {ForeignFile::tunable_op, ForeignFile::amd_tuning, ForeignFile::cublaslt_log, ForeignFile::hipblaslt_log})
    text += fmt::format("{}, ", describe(file));
  return text + fmt::format("or {}", describe(ForeignFile::server_config));
}

ShapeList foreign_shapes(const std::filesystem::path& path, std::string_view text) {
  const auto source = path.string();
  const auto kind = foreign_file(path, text);
  if (!kind)
    fail(ErrorCode::input, "{}:1:1: found '{}', expected {}", source, trim(text.substr(0, text.find('\n'))),
         known_foreign_files());
  switch (*kind) {
    case ForeignFile::tunable_op:
      return tunable_op_shapes(text, source);
    case ForeignFile::amd_tuning:
      return tuning_shapes(text, source);
    case ForeignFile::cublaslt_log:
      return cublaslt_log_shapes(text, source);
    case ForeignFile::hipblaslt_log:
      return hipblaslt_bench_shapes(text, source);
    default:
      return server_config_shapes(parse_server_config(text, path), source);
  }
}

}  // namespace gemmtune
