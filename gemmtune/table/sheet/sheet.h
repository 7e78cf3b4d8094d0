// Any CSV of AITER's as text with meaning: its columns have roles, its rows keep their text and their place. What works
// for tables of all families works on sheets (table/sheet/merge.h, …); rows of GEMM tables as typed values stand in
// table/tuned_table.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/core/csv.h"
#include "gemmtune/table/sheet/known_columns.h"

namespace gemmtune {

struct SheetColumn {
  std::string name{};  // as the file spells it
  Role role{Role::carried};
  CellKind kind{CellKind::word};
  std::optional<std::size_t> known{};  // in known_columns()

  bool in_key() const { return role == Role::key || role == Role::device; }
  bool operator==(const SheetColumn&) const = default;
};

struct SheetRow {
  std::vector<std::string> cells{};  // trimmed and unquoted, one for each column: "" where the line is short
  std::string raw{};                 // as it stands in its file, without its end
  std::size_t source{};              // in Sheet::sources
  std::int64_t line{};               // 1-based
};

/// A line that is no row. It is kept and written back.
struct UnusableLine {
  std::string raw{};
  std::string where{};  // file:line:column
  std::string reason{};

  bool operator==(const UnusableLine&) const = default;
};

/// What a table is about, told by its columns.
enum class TableKind : std::uint8_t { gemm, fused_moe, gated_delta_net, kernel_list, unknown };

std::string_view to_string(TableKind kind);

struct Sheet {
  TableKind kind{TableKind::unknown};
  std::vector<std::string> sources{};  // files, for messages
  std::vector<SheetColumn> columns{};
  std::vector<SheetRow> rows{};
  std::vector<UnusableLine> unusable{};

  /// By a name of known_columns(), its alias or any other; case ignored.
  std::optional<std::size_t> column(std::string_view name) const;

  /// The first column of this role.
  std::optional<std::size_t> column(Role role) const;

  /// The cell's text, "" without a column.
  std::string_view text(const SheetRow& row, std::optional<std::size_t> column) const;

  /// "file:line", and "file:line:column" of a cell.
  std::string where(const SheetRow& row) const;
  std::string where(const SheetRow& row, std::optional<std::size_t> column) const;
};

/// Throws Error{input} for what makes a file unreadable (core/csv.h). A line with a key or a time that is none, or with
/// more cells than there are columns, is unusable.
Sheet read_sheet(const std::filesystem::path& path);
Sheet sheet_of(CsvDocument document);

/// The columns of a header, with the roles they have beside each other: in a list of kernels, `splitK` is no choice but
/// a property.
std::vector<SheetColumn> sheet_columns(const std::vector<std::string>& names);

/// The whole file: header, rows, then the unusable lines.
std::string sheet_text(const Sheet& sheet);

/// Reads what a sheet's rows are for. The sheet must outlive it.
class KeyReader {
 public:
  explicit KeyReader(const Sheet& sheet);

  /// As "gfx=gfx950,cu_num=256,N=512,M=1,K=4096": equal for rows of equal keys, whatever the order of columns and the
  /// spelling of values. Left out are keys that are not said, flags that are not set and absent columns. A missing gfx
  /// is filled by AITER's rule.
  std::string text(const SheetRow& row) const;

 private:
  const Sheet& sheet_;
  std::vector<std::size_t> columns_;  // in the order of known_columns()
  std::optional<std::size_t> gfx_;
};

/// Of the row's device, by AITER's rule where no column says it; "" when unknown.
std::string gfx_of(const Sheet& sheet, const SheetRow& row);

/// Microseconds; nothing where there is none: no such column, empty, Null, nan, inf, 0 and below.
std::optional<double> time_us(const Sheet& sheet, const SheetRow& row);

}  // namespace gemmtune
