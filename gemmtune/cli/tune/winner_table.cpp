#include "gemmtune/cli/tune/winner_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "gemmtune/cli/short_text.h"
#include "gemmtune/cli/text_grid.h"
#include "gemmtune/cli/tune/progress_text.h"

namespace gemmtune {
namespace {

constexpr std::size_t shortest_name = 16;
constexpr std::size_t readable_name = 24;  // other columns go before names become shorter

/// "bf16:bf16:bf16": what follows the sizes.
std::string types_of(const ShapeResult& result) {
  const auto text = to_string(result.shape.problem);
  return text.substr(std::min(text.size(), text.find(':') + 1));
}

std::string sizes_of(const ShapeResult& result) {
  const auto text = to_string(result.shape.problem);
  return text.substr(0, text.find(':'));
}

bool are_of_one_type(std::span<const ShapeResult> results) {
  return std::ranges::all_of(results,
                             [&](const auto& result) { return types_of(result) == types_of(results.front()); });
}

std::string winner_text(const ShapeResult& result) {
  if (!result.winner) return result.reached ? "failed" : "not reached";
  return result.winner->candidate.name + (result.complete ? "" : " (cut short)");
}

/// Why shapes have no winner, and why searches ended early. Reasons that many shapes share stand there once.
std::string reasons(std::span<const ShapeResult> results) {
  std::map<std::string, std::vector<std::string>> shapes_by_reason;
  for (const auto& result : results) {
    if (!result.winner) shapes_by_reason[result.why_failed].push_back(sizes_of(result));
    if (result.winner && !result.complete)
      shapes_by_reason["cut short: " + result.cut_short_by].push_back(sizes_of(result));
  }
  std::string text;
  for (const auto& [reason, shapes] : shapes_by_reason)
    text += fmt::format("{}{}: {}\n", shapes.front(),
                        shapes.size() == 1 ? "" : fmt::format(" and {} more", shapes.size() - 1), reason);
  return text;
}

std::vector<std::string> cells(const ShapeResult& result) {
  if (!result.winner) return {"", winner_text(result)};
  const auto& winner = *result.winner;
  const auto other_ties =
      std::ranges::count_if(result.tied, [&](const auto& name) { return name != winner.candidate.name; });
  return {"",
          winner_text(result),
          human_time(winner.timing.median_us),
          fmt::format("{:.4g}", tflops(result.shape.problem, winner.timing.median_us)),
          gain_text(result),
          std::to_string(other_ties)};
}

bool states_regret(std::span<const ShapeResult> results) {
  return std::ranges::any_of(results, [](const auto& result) { return result.claim || !result.why_no_claim.empty(); });
}

using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t shape_column = 0;
constexpr std::size_t name_column = 1;

std::size_t widest(const Rows& rows, std::size_t column) {
  std::size_t width = 0;
  for (const auto& row : rows)
    if (column < row.size()) width = std::max(width, row[column].size());
  return width;
}

/// How long names may be where a line has at most `width` characters.
std::size_t left_for_names(const Rows& rows, std::size_t width) {
  std::size_t others = 0;
  for (std::size_t column = 0; column < rows.front().size(); ++column)
    if (column != name_column) others += widest(rows, column) + 2;  // between columns
  return width - std::min(width, others);
}

void drop_column(Rows& rows, std::string_view title) {
  const auto column = std::ranges::find(rows.front(), title) - rows.front().begin();
  for (auto& row : rows)
    if (std::ssize(row) > column) row.erase(row.begin() + column);
}

void cut_column(Rows& rows, std::size_t column, std::size_t longest) {
  for (auto& row : rows) row[column] = cut_in_the_middle(row[column], longest);
}

/// Fits the rows into lines of `width`: without what matters least, and with names that are cut, and shapes of many
/// words too.
void narrow(Rows& rows, std::size_t width) {
  const auto wanted = std::min(readable_name, widest(rows, name_column));
  for (const auto* title : {"TFLOPS", "ties"})
    if (left_for_names(rows, width) < wanted) drop_column(rows, title);
  const auto lacking = shortest_name - std::min(shortest_name, left_for_names(rows, width));
  const auto shapes = widest(rows, shape_column);
  if (lacking > 0) cut_column(rows, shape_column, std::max(shortest_name, shapes - std::min(shapes, lacking)));
  cut_column(rows, name_column, std::max(shortest_name, left_for_names(rows, width)));
}

std::string counted(std::int64_t shapes) { return shapes == 1 ? "1 shape" : fmt::format("{} shapes", shapes); }

/// What the column says only under a supposition, and where it is larger than was aimed at.
std::string regret_notes(std::span<const ShapeResult> results) {
  std::int64_t supposing = 0;
  std::int64_t missed = 0;
  double target = 0;
  std::map<std::string, std::int64_t> without_claim;
  for (const auto& result : results) {
    if (result.winner && !result.why_no_claim.empty()) ++without_claim[result.why_no_claim];
    if (!result.claim) continue;
    supposing += result.claim->unseen > 0 ? 1 : 0;
    missed += result.claim->is_reached() ? 0 : 1;
    target = result.claim->target;
  }
  std::string text;
  if (supposing > 0)
    text += fmt::format(
        "regret: for {}, not all candidates were measured; the bound supposes that the times of the others follow from "
        "their parameters\n",
        counted(supposing));
  if (missed > 0)
    text += fmt::format("regret: for {}, the bound stayed above {:.1f} %, and measuring longer did not lower it\n",
                        counted(missed), 100 * target);
  for (const auto& [why, count] : without_claim)
    text += fmt::format("regret: for {}, {}\n", counted(count), no_claim_in_words(why));
  return text;
}

}  // namespace

std::string winner_table(std::span<const ShapeResult> results, std::size_t width, TieColumn ties) {
  if (results.empty()) return {};
  const bool one_type = are_of_one_type(results);
  Rows rows{{"shape", "winner", "time", "TFLOPS", "vs default", "ties"}};
  for (const auto& result : results) {
    rows.push_back(cells(result));
    rows.back().front() = one_type ? sizes_of(result) : to_string(result.shape.problem);
  }
  if (states_regret(results)) {
    rows.front().emplace_back("regret");
    for (std::size_t i = 0; i < results.size(); ++i)
      if (results[i].winner) rows[i + 1].push_back(regret_text(results[i]));
  }
  if (ties == TieColumn::left_out) drop_column(rows, "ties");
  if (width > 0) narrow(rows, width);
  constexpr auto right = Align::right;
  return (one_type ? types_of(results.front()) + "\n" : "") +
         text_grid(rows, {Align::left, Align::left, right, right, right, right, right}) + '\n' +
         wrapped(reasons(results) + regret_notes(results), width);
}

}  // namespace gemmtune
