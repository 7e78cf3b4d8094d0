// Finds what is wrong or doubtful in tables: rows that no lookup reaches, numbers that contradict each other, cells
// that are not what their column expects. It only reports; lint_fix.h makes a clean copy. Rules are data
// (lint_rules()). They are grouped in files by what they examine: lint_layout, lint_cells, lint_keys, lint_reach,
// lint_rates, lint_kernels, lint_triton. docs/linting.md shows each rule.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/core/csv.h"
#include "gemmtune/table/guess_format.h"
#include "gemmtune/table/lint/kernel_list.h"
#include "gemmtune/table/sheet/sheet.h"
#include "gemmtune/table/triton/triton_json.h"
#include "gemmtune/table/triton/triton_name.h"

namespace gemmtune {

enum class Severity : std::uint8_t {
  note,     // harmless, but a clean file has none
  warning,  // doubtful, or a misleading number
  error,    // a row that is never used, or should not be used
};

std::string_view to_string(Severity severity);

struct Place {
  std::string file{};
  std::int64_t line{};
  std::int64_t column{};

  auto operator<=>(const Place&) const = default;
};

struct Finding {
  Place place{};
  Severity severity{Severity::note};
  std::string rule{};
  std::string message{};
};

/// A CSV as bytes, as cells, and as a table.
struct LintTable {
  std::string text{};
  CsvDocument document{};
  Sheet sheet{};
  std::optional<FormatGuess> format{};  // only for GEMM tables

  /// Whether the rows are results with a time. Lists of shapes have none.
  bool is_tuned() const { return sheet.column(Role::time).has_value(); }
};

LintTable lint_table_of(std::string text, std::string source);
LintTable read_lint_table(const std::filesystem::path& path);

struct LintTriton {
  std::string text{};
  TritonFile file{};
  std::optional<TritonName> name{};  // of a GEMM's file. Kernels of other kinds have rules of their own: no check
};

LintTriton read_lint_triton(const std::filesystem::path& path);

struct LintInput {
  std::vector<LintTable> tables{};
  std::vector<LintTriton> triton{};
  std::vector<KernelList> kernel_lists{};
  double err_ratio_limit{0.05};  // twice this for fused MoE, as in AITER's tuner
};

/// What a rule reports about a place. Severity and name belong to the rule.
struct Remark {
  Place place{};
  std::string message{};
};

struct LintRule {
  std::string_view name{};
  Severity severity{Severity::note};
  std::string_view about{};
  std::vector<Remark> (*check)(const LintInput&){};
};

/// All rules, those that find errors first.
const std::vector<LintRule>& lint_rules();

struct RuleChoice {
  std::vector<std::string> only{};  // empty: all
  std::vector<std::string> ignored{};
};

/// The findings, ordered by file as given, line, column and rule. Throws Error{usage} for an unknown rule.
std::vector<Finding> lint(const LintInput& input, const RuleChoice& choice = {});

/// The line with this number.
const CsvRow& line_at(const LintTable& table, std::int64_t line);

/// The place of a cell, or of the line's last cell if the line is too short.
Place place_of(const LintTable& table, const SheetRow& row, std::optional<std::size_t> column);

}  // namespace gemmtune
