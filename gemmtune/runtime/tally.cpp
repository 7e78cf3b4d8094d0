#include "gemmtune/runtime/tally.h"

#include <fmt/format.h>

#include <algorithm>

namespace gemmtune {

std::shared_ptr<KernelTally> Tally::of_kernel(const std::string& family, const std::string& name, MatchKind match) {
  const std::lock_guard lock(mutex_);
  for (const auto& known : kernels_)
    if (known->family == family && known->name == name && known->match == match) return known;
  kernels_.push_back(std::make_shared<KernelTally>());
  kernels_.back()->family = family;
  kernels_.back()->name = name;
  kernels_.back()->match = match;
  return kernels_.back();
}

std::vector<std::shared_ptr<KernelTally>> Tally::kernels() const {
  const std::lock_guard lock(mutex_);
  return kernels_;
}

Totals Tally::totals() const {
  Totals all{.missed = missed_, .declined = declined_, .reloads = reloads_};
  for (std::size_t i = 0; i < plans_.size(); ++i) all.plans[i] = plans_[i];
  for (const auto& kernel : kernels()) {
    const auto launches = kernel->launches.total();
    all.launches += launches;
    if (kernel->match != MatchKind::fallback) all.launches_tuned += launches;
    all.refused += kernel->refused.total();
  }
  return all;
}

std::vector<std::string> Tally::summary() const {
  const auto all = totals();
  const auto planned = [&](MatchKind match) { return all.plans[static_cast<std::size_t>(match)]; };
  std::vector<std::string> lines{fmt::format(
      "plans: {} exact, {} padded, {} nearest, {} fallback, {} missed; {} choices declined; launches: {}, of them {} "
      "tuned, {} refused; {} reloads",
      planned(MatchKind::exact), planned(MatchKind::padded_fine) + planned(MatchKind::padded_coarse),
      planned(MatchKind::nearest), planned(MatchKind::fallback), all.missed, all.declined, all.launches,
      all.launches_tuned, all.refused, all.reloads)};
  auto kernels = this->kernels();
  std::erase_if(kernels, [](const auto& kernel) { return kernel->launches.total() == 0; });
  std::ranges::stable_sort(kernels, std::greater(), [](const auto& kernel) { return kernel->launches.total(); });
  for (const auto& kernel : kernels)
    lines.push_back(fmt::format("{:>12} {:<14}{} {}", kernel->launches.total(), to_string(kernel->match),
                                kernel->family, kernel->name));
  return lines;
}

}  // namespace gemmtune
