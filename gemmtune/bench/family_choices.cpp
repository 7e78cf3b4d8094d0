#include "gemmtune/bench/family_choices.h"

#include <fmt/format.h>

#include <algorithm>

#include "gemmtune/bench/family_search.h"
#include "gemmtune/report/comparison.h"

namespace gemmtune {
namespace {

bool is_of(const DeviceTag& tag, const DeviceInfo& device) {
  return (tag.gfx.empty() || tag.gfx == device.arch) && (tag.cu_num == 0 || tag.cu_num == device.cu_num);
}

struct Offer {
  std::string family{};
  std::string why_not{};
  std::vector<Candidate> candidates{};  // the default choice first
};

std::vector<Candidate> of_family(const std::vector<Candidate>& all, const std::string& family) {
  std::vector<Candidate> theirs;
  std::ranges::copy_if(all, std::back_inserter(theirs), [&](const auto& c) { return c.family == family; });
  return theirs;
}

Offer offer_of(const std::string& family, const std::vector<FamilySupport>& supports,
               const std::vector<Candidate>& candidates) {
  Offer offer{.family = family, .candidates = of_family(candidates, family)};
  const auto support = std::ranges::find(supports, family, &FamilySupport::family);
  if (support == supports.end())
    offer.why_not = "the worker does not have this family";
  else if (offer.candidates.empty())
    offer.why_not = support->why_not.empty() ? "it has no candidates" : support->why_not;
  return offer;
}

/// The offers of the named families, in the order of the names. Without names, those of all families in their own
/// order.
std::vector<Offer> offers(Evaluator& evaluator, const Problem& problem, const std::vector<std::string>& named) {
  const auto supports = evaluator.supports(problem);
  const auto candidates = evaluator.candidates(problem);
  std::vector<std::string> families = named;
  if (named.empty())
    for (const auto& support : supports) families.push_back(support.family);
  std::vector<Offer> all;
  for (const auto& family : families) {
    auto offer = offer_of(family, supports, candidates);
    if (!named.empty() || offer.why_not.empty()) all.push_back(std::move(offer));
  }
  return all;
}

class Chooser {
 public:
  Chooser(Evaluator& evaluator, const Problem& problem, const BenchPlan& plan, const TunedKernels& known)
      : evaluator_(evaluator), problem_(problem), plan_(plan), known_(known) {}

  Contender default_of(const Offer& offer) const {
    Contender contender{.label = offer.family + std::string(default_suffix),
                        .origin = "default",
                        .why_none = offer.why_not,
                        .is_default = true};
    if (!offer.candidates.empty()) contender.candidate = offer.candidates.front();
    return contender;
  }

  bool tunes() const { return plan_.most_candidates > 0 || !known_.empty(); }

  /// False if the search was interrupted.
  bool search_all(const std::vector<Offer>& offers) {
    if (!plan_.together || plan_.most_candidates == 0) return true;
    std::vector<Candidate> all;
    for (const auto& offer : offers)
      if (const auto some = to_search(offer); some.size() > 1 && !known_.contains({problem_, offer.family}))
        all.insert(all.end(), some.begin(), some.end());
    auto found = search_together(evaluator_, problem_, all, plan_.tune);
    if (found) best_ = std::move(*found);
    return found.has_value();
  }

  /// The tuned choice. Empty if the search was interrupted.
  std::optional<Contender> tuned_of(const Offer& offer) const {
    Contender contender{.label = offer.family, .why_none = offer.why_not};
    if (const auto known = known_.find({problem_, offer.family}); known != known_.end()) {
      contender.candidate = named(offer, known->second.name);
      contender.origin = known->second.origin;
    } else if (offer.candidates.empty()) {
      return contender;
    } else if (plan_.most_candidates > 0) {
      return searched(offer, std::move(contender));
    } else {
      contender.why_none = "no trial of this problem is stored, and searching was not requested";
    }
    return contender;
  }

 private:
  /// The candidate with this name. A kernel that is no longer listed may still run.
  static Candidate named(const Offer& offer, const std::string& name) {
    const auto at = std::ranges::find(offer.candidates, name, &Candidate::name);
    return at != offer.candidates.end() ? *at : Candidate{.family = offer.family, .name = name};
  }

  std::vector<Candidate> to_search(const Offer& offer) const {
    const auto count = std::min(offer.candidates.size(), static_cast<std::size_t>(plan_.most_candidates));
    return {offer.candidates.begin(), offer.candidates.begin() + static_cast<std::ptrdiff_t>(count)};
  }

  std::optional<Contender> searched(const Offer& offer, Contender contender) const {
    const auto candidates = to_search(offer);
    contender.origin = candidates.size() == 1 ? "only one looked at" : fmt::format("search of {}", candidates.size());
    contender.candidate = candidates.front();
    if (candidates.size() == 1) return contender;
    if (const auto best = best_.find(offer.family); best != best_.end()) {
      contender.candidate = best->second.candidate;
      contender.why_none = best->second.why_none;
      return contender;
    }
    const auto found = search_best(evaluator_, problem_, candidates, plan_.tune);
    if (!found) return std::nullopt;
    contender.candidate = found->winner ? found->winner->candidate : Candidate{};
    contender.why_none = found->why_failed;
    return contender;
  }

  Evaluator& evaluator_;
  const Problem& problem_;
  const BenchPlan& plan_;
  const TunedKernels& known_;
  std::map<std::string, FamilyBest> best_;  // of the families that were searched together
};

}  // namespace

TunedKernels tuned_kernels(const Readings& readings, const DeviceInfo& device) {
  std::vector<Measurement> here;
  std::ranges::copy_if(readings.measurements, std::back_inserter(here), [&](const Measurement& m) {
    return m.shape.types_known && !m.kernel.empty() && is_of(m.shape.device, device);
  });
  TunedKernels kernels;
  for (const auto& shape : compare(here, {.keeps_references = true}).shapes)
    for (const auto& [family, best] : shape.best)
      kernels.try_emplace({shape.shape.problem, family},
                          TunedKernel{best.measurement.kernel,
                                      best.measurement.where + (best.measurement.unproven ? ", not proven" : "")});
  return kernels;
}

std::optional<std::vector<Contender>> family_contenders(Evaluator& evaluator, const Problem& problem,
                                                        const BenchPlan& plan, const TunedKernels& known) {
  Chooser chooser(evaluator, problem, plan, known);
  const auto all = offers(evaluator, problem, plan.tune.families);
  if (!chooser.search_all(all)) return std::nullopt;
  std::vector<Contender> contenders;
  for (const auto& offer : all) {
    contenders.push_back(chooser.default_of(offer));
    if (!chooser.tunes()) continue;
    auto tuned = chooser.tuned_of(offer);
    if (!tuned) return std::nullopt;
    contenders.push_back(std::move(*tuned));
  }
  return contenders;
}

}  // namespace gemmtune
