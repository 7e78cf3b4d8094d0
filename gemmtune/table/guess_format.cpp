#include "gemmtune/table/guess_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gemmtune/core/csv.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

/// The evidence that a file gives: its name and its columns. Case is ignored.
struct Evidence {
  std::string name{};
  std::vector<std::string> columns{};

  bool named(std::string_view word) const { return name.find(word) != std::string::npos; }
  bool has(std::string_view column) const { return std::ranges::find(columns, column) != columns.end(); }
  bool batched() const { return named("batched") || has("b"); }
};

Evidence evidence(const std::string& file_name, const std::vector<std::string>& header) {
  Evidence seen{.name = to_lower(file_name)};
  for (const auto& column : header) seen.columns.push_back(to_lower(column));
  return seen;
}

Format eight_bit(const Evidence& seen) {
  if (seen.batched()) return Format::batched_a8w8;
  if (seen.named("blockscale")) return Format::a8w8_blockscale;
  return seen.named("bpreshuffle") ? Format::a8w8_bpreshuffle : Format::a8w8;
}

Format sixteen_bit(const Evidence& seen) { return seen.batched() ? Format::batched_a16w16 : Format::a16w16; }

using Chooser = Format (*)(const Evidence&);

struct NameRule {
  std::string_view word;
  Chooser choose;
};

/// A name may also state a model's formats after the table's own: "a8w8_bpreshuffle_tuned_gemm_model_mxfp4_attnfp8".
constexpr std::array<NameRule, 18> name_rules{
    {{"a16w4_nvfp4", [](const Evidence&) { return Format::a16w4_nvfp4; }},
     {"a8w4_nvfp4", [](const Evidence&) { return Format::a8w4_nvfp4; }},
     {"a16w8_blockscale", [](const Evidence&) { return Format::a16w8_blockscale; }},
     {"a16w8", [](const Evidence&) { return Format::a16w8; }},
     {"a16w4_fp8", [](const Evidence&) { return Format::a16w4_fp8; }},
     {"a16w4", [](const Evidence&) { return Format::a16w4; }},
     {"a8w4", [](const Evidence&) { return Format::a8w4; }},
     {"a8wq4", [](const Evidence&) { return Format::a8wq4; }},
     {"a8wq8", [](const Evidence&) { return Format::a8wq8; }},
     {"a4w4", [](const Evidence&) { return Format::a4w4; }},
     {"a8w8", eight_bit},
     {"a16w16", sixteen_bit},
     {"bf16", sixteen_bit},
     {"fp16", sixteen_bit},
     {"f32", sixteen_bit},
     {"mxfp8", [](const Evidence&) { return Format::mxfp8; }},
     {"mxfp4", [](const Evidence&) { return Format::a4w4; }},
     {"fp4", [](const Evidence&) { return Format::a4w4; }}}};

struct ColumnRule {
  std::string_view column;
  Chooser choose;
};

constexpr std::array<ColumnRule, 3> column_rules{
    {{"q_dtype_w", eight_bit}, {"dtype", sixteen_bit}, {"scaleab", sixteen_bit}}};

std::optional<Problem> problem_in(const CsvDocument& document, const CsvRow& row, std::size_t column) {
  try {
    return parse_problem(document.text(row, column));
  } catch (const Error&) {
    return std::nullopt;  // the reader of the list reports what is wrong
  }
}

/// The format of all problems that the rows state.
std::optional<FormatGuess> guess_by_problems(const CsvDocument& document) {
  const auto column = document.column("problem");
  std::optional<FormatGuess> guess;
  for (const auto& row : document.rows) {
    if (!column || document.text(row, *column).empty()) return std::nullopt;  // then other columns count too
    const auto problem = problem_in(document, row, *column);
    if (!problem) continue;
    const auto format = format_of(*problem);
    if (!format || (guess && guess->format != *format))
      return FormatGuess{.because = "its problems say their formats", .is_mixed = true};
    if (!guess) guess = FormatGuess{*format, problem->packed, "all its problems are of this format"};
  }
  return guess;
}

struct KernelRule {
  std::string_view part;  // of the kernels' names
  Format format;
};

/// What AITER's libraries and our families call their kernels.
constexpr std::array<KernelRule, 6> kernel_rules{{{"f4gemm", Format::a4w4},
                                                  {"a4w4_blockscale", Format::a4w4},
                                                  {"mxfp4", Format::a4w4},
                                                  {"a8w8_blockscale", Format::a8w8_blockscale},
                                                  {"a8w8_bpreshuffle", Format::a8w8_bpreshuffle},
                                                  {"bf16gemm", Format::a16w16}}};

const KernelRule* rule_of_kernel(std::string_view name) {
  const auto rule = std::ranges::find_if(
      kernel_rules, [&](const KernelRule& each) { return name.find(each.part) != std::string_view::npos; });
  return rule == kernel_rules.end() ? nullptr : rule;
}

/// The format of all kernels whose names tell one. Batched tables have kernels of the same names.
std::optional<FormatGuess> guess_by_kernels(const CsvDocument& document) {
  const auto column = document.column("kernelName");
  if (!column || document.column("B") || !document.column("M")) return std::nullopt;
  const KernelRule* found = nullptr;
  for (const auto& row : document.rows) {
    const auto* rule = rule_of_kernel(to_lower(document.text(row, column)));
    if (rule == nullptr) continue;
    if (found != nullptr && found->format != rule->format) return std::nullopt;
    found = rule;
  }
  if (found == nullptr) return std::nullopt;
  return FormatGuess{found->format, found->format == Format::a4w4,
                     fmt::format("its kernels' names have '{}'", found->part)};
}

}  // namespace

std::optional<FormatGuess> guess_format(const std::string& file_name, const std::vector<std::string>& header) {
  const auto seen = evidence(file_name, header);
  if (!seen.has("m") || !seen.has("n") || !seen.has("k")) return std::nullopt;  // a table of fused MoE, of kernels, …
  const bool packed = seen.named("bpreshuffle") || seen.named("a4w4");
  for (const auto& rule : name_rules)
    if (seen.named(rule.word))
      return FormatGuess{rule.choose(seen), packed, fmt::format("its name has '{}'", rule.word)};
  for (const auto& rule : column_rules)
    if (seen.has(rule.column))
      return FormatGuess{rule.choose(seen), packed, fmt::format("it has a column '{}'", rule.column)};
  return std::nullopt;
}

std::optional<FormatGuess> guess_format(const CsvDocument& document) {
  if (auto guess = guess_by_problems(document)) return guess;
  const auto name = std::filesystem::path(document.source).filename().string();
  if (auto guess = guess_format(name, document.header)) return guess;
  return guess_by_kernels(document);
}

std::optional<FormatGuess> guess_format(const std::filesystem::path& path) { return guess_format(read_csv(path)); }

Problem defaults_of(const FormatGuess& guess) {
  Problem problem = format_defaults(guess.format);
  problem.packed = problem.packed || guess.packed;
  return problem;
}

}  // namespace gemmtune
