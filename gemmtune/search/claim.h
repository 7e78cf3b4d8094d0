// What a search states of the winner that it found.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gemmtune {

/// The default target for a search's regret.
inline constexpr double usual_regret = 0.02;

/// Some candidate may be faster than the one chosen, but with this probability none is by more than this share of its
/// time. Of the candidates that were never measured, this supposes that their times follow from their parameters as
/// forecast. Some of those measured were drawn at random, which says something without that supposition.
struct RegretClaim {
  double regret{};
  double probability{};
  double target{};         // the search went on until the regret was at most this, or nothing more could be learnt
  std::size_t unseen{};    // candidates that were never measured
  std::size_t drawn{};     // candidates that were measured because they were drawn at random
  double unseen_faster{};  // with the same probability, at most this share of the unseen is faster by more than that

  bool is_reached() const { return regret <= target; }
  bool operator==(const RegretClaim&) const = default;
};

/// How large the share of the unseen that are faster can be, with this probability, when none of those drawn was.
double largest_share_unseen(std::size_t drawn, double probability);

/// "regret at most 1.3 % (95 % sure)"; with the target, where it was not reached; and with what the claim supposes of
/// the candidates that were never measured, where there are any.
std::string in_words(const RegretClaim& claim);

/// What is said in place of a claim, wherever results are shown: "no claim, since the search was cut short". What a
/// search knows at that moment supports none: it may not have a forecast yet for the candidates that it has not looked
/// at, and the times of those that it has only screened may be far off.
std::string no_claim_in_words(std::string_view why);

}  // namespace gemmtune
