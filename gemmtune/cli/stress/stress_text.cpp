#include "gemmtune/cli/stress/stress_text.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "gemmtune/cli/text_grid.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {
namespace {

/// Candidates are counted once for each problem.
struct FamilyTotals {
  std::int64_t candidates{};
  std::int64_t stressed{};
  std::int64_t launches{};
  std::int64_t refused{};
  std::int64_t changing{};
  std::int64_t failed{};

  void add(const StressRecord& record) {
    ++candidates;
    stressed += record.launches > 0 || record.is_failed();
    launches += record.launches;
    refused += record.is_refused();
    changing += record.changes_bits();
    failed += record.is_failed();
  }

  std::vector<std::string> row(const std::string& family) const {
    return {family,
            std::to_string(candidates),
            std::to_string(stressed),
            std::to_string(launches),
            std::to_string(refused),
            std::to_string(changing),
            std::to_string(failed)};
  }
};

std::string grid(std::span<const StressRecord> records) {
  std::map<std::string, FamilyTotals> families;
  for (const auto& record : records) families[record.candidate.family].add(record);
  std::vector<std::vector<std::string>> rows{
      {"family", "candidates", "stressed", "launches", "refused", "bits change", "failed"}};
  for (const auto& [family, totals] : families) rows.push_back(totals.row(family));
  return text_grid(rows,
                   {Align::left, Align::right, Align::right, Align::right, Align::right, Align::right, Align::right});
}

std::string line(const StressRecord& record) {
  const auto what = record.changes_bits() ? "bits change" : to_string(record.outcome);
  return fmt::format("{} {}: {}: {}\n", to_string(record.problem), record.candidate.name, what, record.reason);
}

}  // namespace

std::string stress_text(std::span<const StressRecord> records) {
  auto text = grid(records);
  for (const auto& record : records)
    if (record.is_failed() || record.changes_bits()) text += line(record);
  return text;
}

}  // namespace gemmtune
