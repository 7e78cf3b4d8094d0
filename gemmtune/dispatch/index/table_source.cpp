#include "gemmtune/dispatch/index/table_source.h"

#include "gemmtune/core/csv.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"
#include "gemmtune/table/dialect.h"
#include "gemmtune/table/guess_format.h"
#include "gemmtune/table/sheet/schema.h"

namespace gemmtune {
namespace {

/// Of an empty file, only the name says something.
CsvDocument document_of(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (trim(text).empty()) return {.source = path.string(), .header = {"M", "N", "K"}};
  return parse_csv(text, path.string());
}

/// Of batched tables, only those of the mxscale BMM have a libtype. Its name says blockscale too.
bool is_mxscale(const TableFamily& family, const std::string& name, const std::vector<std::string>& header) {
  const auto* known = schema_family_of(sheet_columns(header));
  const bool is_by_columns = known != nullptr && known->name == "batched_mxscale";
  return is_batched(family) && (is_by_columns || name.find("mxscale") != std::string::npos);
}

}  // namespace

Problem defaults_of(const TableFamily& family) {
  auto problem = format_defaults(family.format);
  problem.packed = problem.packed || family.packed;
  if (family.mx_blocks) {
    problem.a = {.type = DType::e4m3, .scaling = Scaling::block_1x128};
    problem.w = {.type = DType::e4m3, .scaling = Scaling::block_128x128};
  }
  return problem;
}

bool is_batched(const TableFamily& family) {
  return family.format == Format::batched_a16w16 || family.format == Format::batched_a8w8;
}

std::string_view name_of(const TableFamily& family) {
  if (family.states_problems) return "gemmtune";
  return family.mx_blocks ? std::string_view("batched_mxscale") : to_string(family.format);
}

TableSource source_of(const std::filesystem::path& path, Format format) {
  return {.path = path, .family = {.format = format, .packed = format_defaults(format).packed}};
}

TableSource guess_source(const std::filesystem::path& path) {
  const auto document = document_of(path);
  insist_on_header(document);
  if (states_problems(columns_from_header(document.header))) return {.path = path, .family = {.states_problems = true}};
  const auto guess = guess_format(document);
  if (!guess) fail(ErrorCode::input, "{}: neither its name nor its columns say which format it is for", path.string());
  TableFamily family{.format = guess->format, .packed = guess->packed};
  family.mx_blocks = is_mxscale(family, path.filename().string(), document.header);
  return {.path = path, .family = family};
}

TableSource guess_source(const std::filesystem::path& path, Presence presence) {
  if (presence == Presence::awaited && !std::filesystem::exists(path))
    return {.path = path, .family = {.states_problems = true}};
  return guess_source(path);
}

std::vector<std::filesystem::path> split_paths(std::string_view colon_list) {
  std::vector<std::filesystem::path> paths;
  for (const auto piece : split(colon_list, ':'))
    if (!trim(piece).empty()) paths.emplace_back(trim(piece));
  return paths;
}

}  // namespace gemmtune
