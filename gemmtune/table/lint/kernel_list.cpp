#include "gemmtune/table/lint/kernel_list.h"

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

using Column = std::optional<std::size_t>;

/// The first of these columns that the list has.
Column column_of(const CsvDocument& document, std::initializer_list<std::string_view> spellings) {
  for (const auto spelling : spellings)
    if (const auto column = document.column(spelling)) return column;
  return std::nullopt;
}

struct Columns {
  Column name, code_object, tile_m, tile_n, split_k, packed;
};

Columns columns_of(const CsvDocument& document) {
  const Columns columns{.name = document.column("knl_name"),
                        .code_object = document.column("co_name"),
                        .tile_m = column_of(document, {"tile_m", "tileM"}),
                        .tile_n = column_of(document, {"tile_n", "tileN"}),
                        .split_k = document.column("splitK"),
                        .packed = column_of(document, {"bpreshuffle", "b_preshuffle"})};
  if (!columns.name || !columns.tile_m || !columns.tile_n)
    fail(ErrorCode::input, "{}:1:1: found columns {}, expected knl_name, tile_m and tile_n among them", document.source,
         join(document.header, ","));
  return columns;
}

std::int64_t number(const CsvDocument& document, const CsvRow& row, Column column) {
  const auto text = document.text(row, column);
  const auto value = parse_int(text);
  if (!value) fail(ErrorCode::input, "{}: found '{}', expected a whole number", document.where(row, column), text);
  return *value;
}

bool flag(const CsvDocument& document, const CsvRow& row, Column column) {
  return parse_bool(document.text(row, column)).value_or(false);
}

/// The device that a folder names: hsa/gfx950/f4gemm/… gives gfx950.
std::string gfx_of_folder(const std::filesystem::path& path) {
  for (const auto& part : path.parent_path())
    if (part.string().starts_with("gfx")) return part.string();
  return "";
}

}  // namespace

KernelList kernel_list_of(const CsvDocument& document) {
  const auto columns = columns_of(document);
  KernelList list{.source = document.source, .gfx = gfx_of_folder(document.source), .kernels = {}};
  for (const auto& row : document.rows)
    list.kernels.push_back({.name = std::string(document.text(row, columns.name)),
                            .code_object = std::string(document.text(row, columns.code_object)),
                            .tile_m = number(document, row, columns.tile_m),
                            .tile_n = number(document, row, columns.tile_n),
                            .split_k = flag(document, row, columns.split_k),
                            .packed = flag(document, row, columns.packed),
                            .line = row.line});
  return list;
}

KernelList read_kernel_list(const std::filesystem::path& path) { return kernel_list_of(read_csv(path)); }

std::string kernel_stem(std::string_view mangled_name) {
  constexpr std::string_view prefix = "_ZN5aiter";
  if (!mangled_name.starts_with(prefix)) return "";
  auto name = mangled_name.substr(prefix.size());
  const auto letter = name.find_first_not_of("0123456789");
  if (letter == 0 || letter == std::string_view::npos) return "";
  name = name.substr(letter);
  return to_lower(name.substr(0, name.find('_')));
}

}  // namespace gemmtune
