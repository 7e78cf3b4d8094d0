#include "gemmtune/search/claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gemmtune {

double largest_share_unseen(std::size_t drawn, double probability) {
  return drawn == 0 ? 1 : 1 - std::pow(1 - probability, 1 / static_cast<double>(drawn));
}

std::string no_claim_in_words(std::string_view why) { return fmt::format("no claim, since {}", why); }

std::string in_words(const RegretClaim& claim) {
  const auto sure = fmt::format("{:.0f} %", 100 * claim.probability);
  constexpr double least_pct = 0.1;  // "at most 0.0 %" would be too much to promise
  auto text = fmt::format("regret at most {:.1f} % ({} sure", std::max(100 * claim.regret, least_pct), sure);
  if (claim.unseen > 0)
    text += fmt::format(" if the times of the {} candidates not measured follow from their parameters as forecast",
                        claim.unseen);
  if (claim.unseen > 0 && claim.drawn > 0)
    text += fmt::format(
        "; of {} measured because they were drawn at random, none was faster by more, so that it is {}"
        " sure without any forecast that at most {:.0f} % of those not measured are",
        claim.drawn, sure, std::ceil(100 * claim.unseen_faster));
  text += ')';
  if (!claim.is_reached())
    text += fmt::format(", and not {:.1f} %: measuring longer taught nothing more", 100 * claim.target);
  return text;
}

}  // namespace gemmtune
