#include "gemmtune/runtime/kernel_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace gemmtune {
namespace {

/// Not every table says the family: a kernel's name begins with it.
const KernelFamily* family_of(const FamilySet& set, const Choice& choice) {
  return choice.libtype.empty() ? find_family_of(set.families, choice.kernel_name) : set.find(choice.libtype);
}

/// A choice of the answer, whose texts are the index's.
KernelOption table_option(const FamilySet& set, const Answer& answer, const Choice& choice) {
  const double of_best = answer.choice->time_us > 0 ? choice.time_us / answer.choice->time_us : 0;
  const auto* family = family_of(set, choice);
  return {.family = family,
          .libtype = std::string(family == nullptr ? choice.libtype : family->name()),
          .kernel_name = std::string(choice.kernel_name),
          .origin = {.match = answer.match,
                     .tuned_m = answer.tuned_m,
                     .source = std::string(choice.source),
                     .line = choice.line,
                     .expected_us = answer.expected_us * of_best}};
}

}  // namespace

std::vector<KernelOption> table_options(const FamilySet& set, const Answer& answer) {
  std::vector<KernelOption> options;
  if (answer.match == MatchKind::fallback || answer.choice == nullptr) return options;
  options.push_back(table_option(set, answer, *answer.choice));
  if (answer.runner_up != nullptr) options.push_back(table_option(set, answer, *answer.runner_up));
  return options;
}

std::vector<KernelOption> default_options(const FamilySet& set, const Problem& problem, std::string_view preferred) {
  std::vector<const KernelFamily*> families;
  for (const auto& family : set.families)
    if (family->supports(problem, set.device->info())) families.push_back(family.get());
  std::ranges::stable_sort(families, std::less(), [&](const KernelFamily* family) {
    return std::tuple(family->name() != preferred, family->default_rank(problem));
  });
  std::vector<KernelOption> options;
  options.reserve(families.size());
  for (const auto* family : families)
    options.push_back({.family = family,
                       .libtype = std::string(family->name()),
                       .origin = {.source = fmt::format("default of {}", family->name())}});
  return options;
}

std::string to_string(const KernelOption& option) {
  const auto& [match, tuned_m, source, line, expected_us, notes] = option.origin;
  const auto name = option.kernel_name.empty() ? std::string("default") : option.kernel_name;
  const auto place = line == 0 ? source : fmt::format("{}:{}", source, line);
  return fmt::format("{} {} {} ({})", to_string(match), option.libtype, name, place);
}

}  // namespace gemmtune
