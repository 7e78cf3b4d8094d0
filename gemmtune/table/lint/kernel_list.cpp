#include "gemmtune/table/lint/kernel_list.h"

#include <algorithm>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
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
  if (!columns.name)
    fail(ErrorCode::input, "{}:1:1: found columns {}, expected knl_name among them", document.source,
         join(document.header, ","));
  return columns;
}

std::int64_t number(const CsvDocument& document, const CsvRow& row, Column column) {
  if (!column) return 0;
  const auto text = document.text(row, column);
  const auto value = parse_int(text);
  if (!value) fail(ErrorCode::input, "{}: found '{}', expected a whole number", document.where(row, column), text);
  return *value;
}

bool flag(const CsvDocument& document, const CsvRow& row, Column column) {
  return parse_bool(document.text(row, column)).value_or(false);
}

/// Tells comments from other lines, from the first line on.
class CommentFinder {
 public:
  bool takes(std::string_view line) {
    if (in_block_ || line.starts_with("/*")) {
      in_block_ = line.find("*/", in_block_ ? 0 : 2) == std::string_view::npos;
      return true;
    }
    return line.starts_with("//") || line.starts_with('#') || line.starts_with(';');
  }

 private:
  bool in_block_{};
};

/// hsa/gfx950/f4gemm/… -> gfx950.
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

KernelList read_kernel_list(const std::filesystem::path& path) {
  return kernel_list_of(parse_csv(without_comments(read_file(path)), path.string()));
}

std::string without_comments(std::string text) {
  CommentFinder comments;
  bool is_first = true;
  for (std::size_t start = 0; start < text.size();) {
    const auto end = std::min(text.find('\n', start), text.size());
    const auto line = trim(std::string_view(text).substr(start, end - start));
    const bool is_comment = comments.takes(line);
    if (is_first && !line.empty() && !is_comment) return text;
    is_first = is_first && line.empty();
    if (is_comment)
      std::fill(text.begin() + static_cast<std::ptrdiff_t>(start), text.begin() + static_cast<std::ptrdiff_t>(end),
                ' ');
    start = end + 1;
  }
  return text;
}

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
