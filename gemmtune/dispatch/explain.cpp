#include "gemmtune/dispatch/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gemmtune/core/text.h"
#include "gemmtune/table/padded_m.h"

namespace gemmtune {
namespace {

std::string kernel_text(const Choice& choice) {
  const auto both = fmt::format("{} {}", choice.libtype, choice.kernel_name);
  const auto name = trim(both);
  if (name.empty()) return "a row without a kernel's name";
  return choice.split_k == 0 ? std::string(name) : fmt::format("{}, splitK {}", name, choice.split_k);
}

std::string place_text(const Choice& choice) {
  return choice.line == 0 ? std::string(choice.source) : fmt::format("{}:{}", choice.source, choice.line);
}

std::string time_text(const Choice& choice) {
  return choice.time_us > 0 ? fmt::format("{:.4g} us", choice.time_us) : "no time";
}

std::string row_text(const Answer& answer) {
  return fmt::format("{}: {}, {}", place_text(*answer.choice), kernel_text(*answer.choice), time_text(*answer.choice));
}

/// Explains one lookup, level by level.
class Explainer {
 public:
  Explainer(const TableIndex& index, const Problem& problem, const AskedDevice& device)
      : index_(index), problem_(problem), device_(device), key_(device_key(device.gfx, device.cu_num)) {}

  std::vector<std::string> explain() {
    const auto answer = index_.lookup(problem_, key_);
    for (const auto level : levels_)
      if (level <= answer.match) add(level, level_text(level, answer));
    if (answer.runner_up != nullptr)
      lines_.push_back(fmt::format("runner-up      {}: {}, {}", place_text(*answer.runner_up),
                                   kernel_text(*answer.runner_up), time_text(*answer.runner_up)));
    if (answer.is_scaled)
      lines_.push_back(
          fmt::format("expected       {:.4g} us: the row's time for M = {}", answer.expected_us, problem_.m));
    if (answer.match == MatchKind::fallback) explain_absence();
    return std::move(lines_);
  }

 private:
  static constexpr std::array levels_{MatchKind::exact, MatchKind::padded_fine, MatchKind::padded_coarse,
                                      MatchKind::nearest, MatchKind::fallback};

  void add(MatchKind level, const std::string& text) {
    lines_.push_back(fmt::format("{:<15}{}", to_string(level), text));
  }

  std::string level_text(MatchKind level, const Answer& answer) const {
    if (level == MatchKind::fallback) return fallback_text(answer);
    if (!pads_m(problem_) && level != MatchKind::exact) return "not for batches";
    const auto asked = asked_text(level);
    const auto found = index_.try_level(level, problem_, key_);
    if (!found) return asked + ": no row";
    const auto tuned = level == MatchKind::nearest ? fmt::format(", M = {}", found->tuned_m) : std::string();
    return fmt::format("{}{}: {}", asked, tuned, row_text(*found));
  }

  std::string asked_text(MatchKind level) const {
    switch (level) {
      case MatchKind::padded_fine:
        return fmt::format("M = {}", padded_fine(problem_.m));
      case MatchKind::padded_coarse:
        return fmt::format("M = {}", padded_coarse(problem_.m, problem_.n));
      case MatchKind::nearest:
        return fmt::format("within a factor of {}", index_.rules().nearest_factor);
      default:
        return fmt::format("M = {}", problem_.m);
    }
  }

  static std::string fallback_text(const Answer& answer) {
    return answer.choice == nullptr ? "no rule knows a kernel for this" : row_text(answer);
  }

  /// The most common reason for many misses is a device for which nothing was tuned.
  void explain_absence() {
    const auto is_ours = [&](const TableDevice& d) { return d.gfx == device_.gfx && d.cu_num == device_.cu_num; };
    if (std::ranges::any_of(index_.devices(), is_ours)) return;
    std::vector<std::string> others;
    for (const auto& d : index_.devices())
      others.push_back(fmt::format("{}/{} ({} rows)", d.gfx, d.cu_num, d.row_count));
    lines_.push_back(fmt::format("note           no table has a row for {}/{}; there are: {}", device_.gfx,
                                 device_.cu_num, others.empty() ? "none at all" : join(others, ", ")));
  }

  const TableIndex& index_;
  const Problem& problem_;
  const AskedDevice& device_;
  DeviceKey key_;
  std::vector<std::string> lines_;
};

}  // namespace

std::string answer_text(const Answer& answer) {
  if (answer.choice == nullptr) return "fallback: no row, and no rule knows a kernel";
  if (answer.match == MatchKind::fallback)
    return fmt::format("fallback: {} ({})", kernel_text(*answer.choice), answer.choice->source);
  return fmt::format("{}: {}, {} (tuned for M = {}, {})", to_string(answer.match), kernel_text(*answer.choice),
                     time_text(*answer.choice), answer.tuned_m, place_text(*answer.choice));
}

std::vector<std::string> explain(const TableIndex& index, const Problem& problem, const AskedDevice& device) {
  return Explainer(index, problem, device).explain();
}

}  // namespace gemmtune
