#include "gemmtune/report/failure_groups.h"

#include <algorithm>
#include <tuple>

namespace gemmtune {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The text with numbers replaced: "errRatio 0.18 is over 0.05" becomes "errRatio # is over #".
std::string without_numbers(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool is_inside = !result.empty() && result.back() == '#' && (is_digit(c) || c == '.');
    if (!is_inside) result += is_digit(c) ? '#' : c;
  }
  return result;
}

std::string what_of(const Skipped& skipped) {
  const bool has_word = skipped.reason == SkipReason::failed;
  return std::string(has_word ? to_string(skipped.measurement.outcome) : to_string(skipped.reason));
}

}  // namespace

std::vector<FailureGroup> failure_groups(const Comparison& comparison) {
  std::map<std::tuple<std::string, std::string, std::string>, FailureGroup> groups;
  for (const auto& skipped : comparison.skipped) {
    const auto& backend = skipped.measurement.backend;
    const auto what = what_of(skipped);
    const auto at = groups.try_emplace({backend, what, without_numbers(skipped.text)},
                                       FailureGroup{.backend = backend, .what = what, .first = skipped});
    ++at.first->second.count;
  }
  std::vector<FailureGroup> list;
  for (auto& [key, group] : groups) list.push_back(std::move(group));
  std::ranges::stable_sort(list, std::ranges::greater(), &FailureGroup::count);
  return list;
}

}  // namespace gemmtune
