#include "gemmtune/bench/table_choices.h"

#include <fmt/format.h>

#include <algorithm>

#include "gemmtune/core/files.h"
#include "gemmtune/dispatch/device_key.h"
#include "gemmtune/dispatch/index/load_tables.h"
#include "gemmtune/report/backend.h"

namespace gemmtune {
namespace {

/// How the kernel was found: "exact, a.csv:7", "padded_coarse from M 128, a.csv:7", "fallback, rule: oneDNN, its own
/// heuristic".
std::string origin_of(const Answer& answer) {
  std::string text(to_string(answer.match));
  if (answer.match != MatchKind::exact && answer.tuned_m > 0) text += fmt::format(" from M {}", answer.tuned_m);
  if (answer.choice == nullptr) return text;
  text += fmt::format(", {}", answer.choice->source);
  if (answer.choice->line > 0) text += fmt::format(":{}", answer.choice->line);
  return text;
}

/// The default choice of the family to which a rule leaves the choice.
Candidate left_to(const std::string& family, const Offered& offered) {
  const auto at = std::ranges::find(offered.candidates, family, &Candidate::family);
  return at != offered.candidates.end() ? *at : Candidate{.family = family};
}

Candidate candidate_of(const Choice& choice, const Offered& offered) {
  std::string family(choice.libtype);
  if (choice.kernel_name.empty()) return left_to(family, offered);
  if (family.empty()) family = backend_of("", choice.kernel_name, offered.families);
  return {.family = std::move(family), .name = std::string(choice.kernel_name)};
}

}  // namespace

Offered offered(Evaluator& evaluator, const Problem& problem) {
  Offered offered{.candidates = evaluator.candidates(problem)};
  for (const auto& support : evaluator.supports(problem)) offered.families.push_back(support.family);
  return offered;
}

Contender served_contender(const TableIndex& index, const Problem& problem, const DeviceInfo& device,
                           const Offered& offered) {
  const auto answer = index.lookup(problem, device_key(device.arch, device.cu_num));
  Contender contender{.label = "table", .origin = origin_of(answer)};
  contender.served = ServedBy{.match = answer.match, .tuned_m = answer.tuned_m, .expected_us = answer.expected_us};
  if (answer.choice == nullptr) {
    contender.why_none = "no row of the table serves this problem, and no fallback rule names a kernel";
    return contender;
  }
  contender.served->split_k = answer.choice->split_k;
  contender.served->kernel_id = answer.choice->kernel_id;
  contender.candidate = candidate_of(*answer.choice, offered);
  if (contender.candidate.name.empty())
    contender.why_none = fmt::format("the table leaves the choice to {}, which has no kernel on this device",
                                     contender.candidate.family);
  return contender;
}

std::vector<Problem> problems_of(const TableSource& source, const DeviceInfo& device) {
  std::vector<Problem> problems;
  read_rows(read_file(source.path), source, [&](const TunedRow& row, std::int64_t) {
    const auto gfx = row.gfx.empty() ? gfx_of_cu_num(row.cu_num, device.arch) : std::string_view(row.gfx);
    const bool is_here = gfx == device.arch && row.cu_num == device.cu_num;
    if (is_here && std::ranges::find(problems, row.problem) == problems.end()) problems.push_back(row.problem);
  });
  return problems;
}

}  // namespace gemmtune
