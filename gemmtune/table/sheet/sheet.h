// Any CSV of AITER's as text with meaning: its columns have roles, and its rows keep their text and their place.
// Operations on tables of all families work on sheets (table/sheet/merge.h, …). table/tuned_table.h has the rows of
// GEMM tables as typed values.
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

/// A column that is not known is part of the key where it stands left of everything that was chosen or measured, since
/// all of AITER's generations put what was asked for first. In a list without results every such column is.
struct SheetColumn {
  std::string name{};  // as the file spells it
  Role role{Role::carried};
  CellKind kind{CellKind::word};
  std::optional<std::size_t> known{};  // index in known_columns()

  bool in_key() const { return role == Role::key || role == Role::device; }
  bool operator==(const SheetColumn&) const = default;
};

struct SheetRow {
  std::vector<std::string> cells{};  // trimmed and unquoted, one for each column
  std::string raw{};                 // as in its file, without the line end
  std::size_t source{};              // in Sheet::sources
  std::int64_t line{};               // 1-based
};

/// A line that is not a row. It is kept and written back.
struct UnusableLine {
  std::string raw{};
  std::string where{};  // file:line:column
  std::string reason{};

  bool operator==(const UnusableLine&) const = default;
};

/// What a table is about, as its columns show.
enum class TableKind : std::uint8_t { gemm, fused_moe, gated_delta_net, kernel_list, unknown };

std::string_view to_string(TableKind kind);

struct Sheet {
  TableKind kind{TableKind::unknown};
  std::vector<std::string> sources{};  // file names, for messages
  std::vector<SheetColumn> columns{};
  std::vector<SheetRow> rows{};
  std::vector<UnusableLine> unusable{};

  /// The column with this name of known_columns(), with its alias, or with any other name. Case is ignored.
  std::optional<std::size_t> column(std::string_view name) const;

  /// The first column with this role.
  std::optional<std::size_t> column(Role role) const;

  /// The text of the cell; "" if there is no such column.
  std::string_view text(const SheetRow& row, std::optional<std::size_t> column) const;

  /// "file:line" of a row, and "file:line:column" of a cell.
  std::string where(const SheetRow& row) const;
  std::string where(const SheetRow& row, std::optional<std::size_t> column) const;
};

/// Throws Error{input} for what makes a file unreadable (core/csv.h), and for a column that stands twice. A line is
/// unusable if a key or a time in it cannot be read, or if it has fewer or more cells than there are columns: it may
/// have been cut, and what is missing may stand anywhere in it.
Sheet read_sheet(const std::filesystem::path& path);
Sheet sheet_of(CsvDocument document);

/// The columns of a header. A column's role depends on the columns beside it: in a kernel list, `splitK` is a property
/// of the kernel and not a choice.
std::vector<SheetColumn> sheet_columns(const std::vector<std::string>& names);

/// Throws Error{input} if two of the names are names of one known column or of one unknown key: nothing says which of
/// the two cells is meant. `source` is the file, for the message.
void insist_on_single_columns(const std::vector<SheetColumn>& columns, std::string_view source);

/// The number of cells that a line needs: up to the last column that has a name.
std::size_t needed_cells(const std::vector<std::string>& names);

/// What a line with too few cells is told: "28 cells, the header has 29".
std::string too_few_cells(std::size_t cells, std::size_t needed);

/// A column's name in messages and in orders: that of the dictionary, else its own in lower case.
std::string canonical_name(const SheetColumn& column);

/// The whole file: header, rows, then the unusable lines.
std::string sheet_text(const Sheet& sheet);

/// Reads the keys of a sheet's rows. The sheet must outlive it.
class KeyReader {
 public:
  explicit KeyReader(const Sheet& sheet);

  /// The key as "gfx=gfx950,cu_num=256,N=512,M=1,K=4096". It is equal for rows with equal keys, whatever the order of
  /// columns and the spelling of values. Missing keys, flags that are not set, and absent columns are left out. A
  /// missing gfx is filled in by AITER's rule.
  std::string text(const SheetRow& row) const;

 private:
  const Sheet& sheet_;
  std::vector<std::size_t> columns_;  // in the order of known_columns(), unknown ones behind them by name
  std::optional<std::size_t> gfx_;
};

/// The architecture of the row's device, by AITER's rule if no column states it. "" if it is unknown.
std::string gfx_of(const Sheet& sheet, const SheetRow& row);

/// The row's time in microseconds. Empty if there is no time: no such column, or a cell that is empty, Null, nan, inf,
/// 0 or negative.
std::optional<double> time_us(const Sheet& sheet, const SheetRow& row);

}  // namespace gemmtune
