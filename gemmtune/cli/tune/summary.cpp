#include "gemmtune/cli/tune/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "gemmtune/cli/short_text.h"
#include "gemmtune/cli/tune/gains.h"
#include "gemmtune/cli/tune/noise_text.h"
#include "gemmtune/cli/tune/relatives_text.h"
#include "gemmtune/cli/tune/winner_table.h"
#include "gemmtune/core/clock.h"
#include "gemmtune/core/text.h"
#include "gemmtune/trials/reproducer.h"

namespace gemmtune {
namespace {

constexpr std::size_t failures_shown = 3;  // of each kind

std::string counts(const RunSummary& run) {
  const auto count = count_shapes(run);
  auto text = fmt::format("{} tuned, {} failed, {} skipped", count.tuned, count.failed, count.skipped);
  if (count.not_reached > 0) text += fmt::format(", {} not reached", count.not_reached);
  if (count.rejected > 0) text += fmt::format(", {} lines rejected", count.rejected);
  return text + '\n';
}

/// Their trials are in the store, so that the next run has little left to do.
std::string unproven(const RunSummary& run) {
  const auto count = std::ranges::count_if(run.results, [](const auto& result) { return result.unproven.has_value(); });
  if (count == 0) return {};
  return fmt::format(
      "{} a fastest candidate that was not proven, and got no row; the next run goes on there and proves it\n",
      count == 1 ? "1 shape has" : fmt::format("{} shapes have", count));
}

std::string left_out(const RunSummary& run) {
  std::string text;
  for (const auto& line : run.inputs.rejected) text += fmt::format("  rejected {}: {}\n", line.where, line.reason);
  if (const auto& large = run.inputs.too_large; !large.empty()) {
    const auto& [shape, reason] = large.front();
    text +=
        fmt::format("  skipped {}{}: {}\n", to_string(shape.problem),
                    large.size() == 1 ? "" : fmt::format(" and {} more that are too large", large.size() - 1), reason);
  }
  const auto& tuned = run.inputs.already_tuned;
  if (run.list_already_tuned) {
    for (const auto& [shape, reason] : tuned)
      text += fmt::format("  skipped {}: {}\n", to_string(shape.problem), reason);
  } else if (!tuned.empty()) {
    text += fmt::format("  skipped {} that are {}; --all tunes them again\n", tuned.size(), tuned.front().reason);
  }
  return text;
}

/// Where packed weights would be faster, and how to tune for them.
std::string packing(const RunSummary& run) {
  if (run.packing.empty()) return {};
  std::string text = "packing: with weights packed once, ahead of all calls, ";
  for (const auto& gain : run.packing)
    text += fmt::format("{}{} takes about {} instead of {} ({:.1f}x)", &gain == run.packing.data() ? "" : ", ",
                        to_string(gain.problem), human_time(gain.packed_us), human_time(gain.unpacked_us),
                        gain.unpacked_us / gain.packed_us);
  return text + "; to tune for that: 'gemmtune shapes from-model --packed', or a list with bpreshuffle True\n";
}

/// "overhead" is the wall time of all workers minus the parts that are known. Parts under half a percent are not shown.
std::string where_time_went(const RunSummary& run) {
  const auto all = run.wall_s * static_cast<double>(run.workers);
  if (all <= 0 || run.results.empty()) return {};
  Cost cost{};
  double listing_s = 0;
  double search_s = 0;
  for (const auto& result : run.results) {
    cost += result.cost;
    listing_s += result.listing_s;
    search_s += result.search_s;
  }
  const double rest_s = std::max(0.0, all - cost.total() - listing_s - search_s);
  const std::array<std::pair<const char*, double>, 8> parts{{{"kernels", cost.kernel_s},
                                                             {"prepare", cost.prepare_s},
                                                             {"operands", cost.operands_s},
                                                             {"reference", cost.reference_s},
                                                             {"verify", cost.verify_s},
                                                             {"listing", listing_s},
                                                             {"search", search_s},
                                                             {"overhead", rest_s}}};
  std::vector<std::string> words;
  words.reserve(parts.size());
  for (const auto& [name, seconds] : parts)
    if (const auto percent = 100 * seconds / all; percent >= 0.5)
      words.push_back(fmt::format("{} {:.0f} %", name, percent));
  return fmt::format("{} of wall time: {}\n", human_duration(run.wall_s), join(words, ", "));
}

/// What the winner's user should know of candidates that share its code.
std::string relatives(const RunSummary& run) {
  std::string text;
  for (const auto& result : run.results)
    if (const auto line = relatives_text(result); !line.empty()) text += line + '\n';
  return text;
}

/// What readers of the times should know of how the workers took them.
std::string remarks(const RunSummary& run) {
  std::string text;
  for (const auto& remark : run.remarks) text += fmt::format("note: {}\n", remark);
  return text;
}

/// What no run tries again, unless its user says so.
std::string held_back(const RunSummary& run) {
  const auto count = run.quarantined.size();
  if (count == 0) return {};
  auto text = fmt::format(
      "quarantined: {} on these shapes, not tried again; 'gemmtune quarantine lift --store {}' lets them be tried:\n",
      count == 1 ? "1 candidate" : fmt::format("{} candidates", count), run.store);
  for (std::size_t i = 0; i < std::min(count, failures_shown); ++i) {
    const auto& entry = run.quarantined[i];
    text += fmt::format("  {} on {}: {}\n", entry.candidate.name, to_string(entry.problem), entry.reason);
  }
  if (count > failures_shown) text += fmt::format("  and {} more\n", count - failures_shown);
  return text;
}

std::string damage(const RunSummary& run) {
  const auto count = run.damaged.size();
  if (count == 0) return {};
  auto text = fmt::format("damaged: {} of the store cannot be read and {} skipped ('gemmtune store check {}'):\n",
                          count == 1 ? "1 row" : fmt::format("{} rows", count), count == 1 ? "was" : "were", run.store);
  for (std::size_t i = 0; i < std::min(count, failures_shown); ++i)
    text += fmt::format("  {}\n", to_string(run.damaged[i]));
  if (count > failures_shown) text += fmt::format("  and {} more\n", count - failures_shown);
  return text;
}

struct Failure {
  const Problem* problem{};
  const Evaluation* evaluation{};
};

std::string failure_text(const Failure& failure) {
  const auto& [problem, evaluation] = failure;
  return fmt::format("    {}: {}\n      {}\n", evaluation->candidate.name, evaluation->reason,
                     reproducer("gemmtune", *problem, *evaluation));
}

std::string failures(const RunSummary& run) {
  std::map<Outcome, std::vector<Failure>> by_kind;
  for (const auto& result : run.results)
    for (const auto& evaluation : result.failures)
      by_kind[evaluation.outcome].push_back({&result.shape.problem, &evaluation});
  std::string text;
  for (const auto& [outcome, list] : by_kind) {
    text += fmt::format("  {} {}\n", list.size(), to_string(outcome));
    for (std::size_t i = 0; i < std::min(list.size(), failures_shown); ++i) text += failure_text(list[i]);
    if (list.size() > failures_shown)
      text += fmt::format("    and {} more: see the profile (-o2)\n", list.size() - failures_shown);
  }
  return text.empty() ? text : "failed candidates:\n" + text;
}

}  // namespace

std::vector<Quarantined> quarantined_of(const std::vector<Shape>& shapes, const DeviceInfo& device,
                                        const TrialStore& store) {
  std::set<Problem> own;
  for (const auto& shape : shapes) own.insert(shape.problem);
  auto entries = store.quarantined();
  std::erase_if(entries, [&](const Quarantined& entry) {
    return entry.device != model_of(device) || !own.contains(entry.problem);
  });
  return entries;
}

ShapeCounts count_shapes(const RunSummary& run) {
  ShapeCounts counts{.skipped = run.inputs.already_tuned.size() + run.inputs.too_large.size(),
                     .rejected = run.inputs.rejected.size()};
  for (const auto& result : run.results)
    ++(result.winner ? counts.tuned : result.reached ? counts.failed : counts.not_reached);
  return counts;
}

std::string summary_text(const RunSummary& run) {
  const auto prose = counts(run) + unproven(run) + left_out(run) + gain_lines(run.results) + packing(run) +
                     noise_lines(run.results) + where_time_went(run);
  const auto ties = run.knows_ties ? TieColumn::shown : TieColumn::left_out;
  const auto winners = run.lists_winners ? winner_table(run.results, run.width, ties) : "";
  return winners + wrapped(prose, run.width) + relatives(run) + remarks(run) + failures(run) + held_back(run) +
         damage(run);
}

}  // namespace gemmtune
