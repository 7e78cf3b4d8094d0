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
constexpr std::array<NameRule, 7> name_rules{{{"a4w4", [](const Evidence&) { return Format::a4w4; }},
                                              {"a8w8", eight_bit},
                                              {"a16w16", sixteen_bit},
                                              {"bf16", sixteen_bit},
                                              {"fp16", sixteen_bit},
                                              {"f32", sixteen_bit},
                                              {"mxfp4", [](const Evidence&) { return Format::a4w4; }}}};

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

/// The format of all problems that the rows state, if all are of the same format.
std::optional<FormatGuess> guess_by_problems(const CsvDocument& document) {
  const auto column = document.column("problem");
  std::optional<FormatGuess> guess;
  for (const auto& row : document.rows) {
    const auto problem = column ? problem_in(document, row, *column) : std::nullopt;
    const auto format = problem ? format_of(*problem) : std::nullopt;
    if (!format || (guess && guess->format != *format)) return std::nullopt;
    if (!guess) guess = FormatGuess{*format, problem->packed, "all its problems are of this format"};
  }
  return guess;
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

std::optional<FormatGuess> guess_format(const std::filesystem::path& path) {
  const auto document = read_csv(path);
  if (auto guess = guess_format(path.filename().string(), document.header)) return guess;
  return guess_by_problems(document);
}

std::vector<Format> formats_of_problems(const std::filesystem::path& path) {
  const auto document = read_csv(path);
  const auto column = document.column("problem");
  std::vector<Format> formats;
  for (const auto& row : document.rows) {
    const auto problem = column ? problem_in(document, row, *column) : std::nullopt;
    const auto format = problem ? format_of(*problem) : std::nullopt;
    if (format && std::ranges::find(formats, *format) == formats.end()) formats.push_back(*format);
  }
  return formats;
}

Problem defaults_of(const FormatGuess& guess) {
  Problem problem = format_defaults(guess.format);
  problem.packed = problem.packed || guess.packed;
  return problem;
}

}  // namespace gemmtune
