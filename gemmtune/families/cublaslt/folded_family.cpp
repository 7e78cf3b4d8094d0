#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/families/cublaslt/folded.h"
#include "gemmtune/families/cublaslt/folded_gemm.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_cublaslt_family();

namespace cublaslt {
namespace {

/// Whether A is what the route's conversion would give.
bool has_unfolded_a(const Problem& problem, const FoldedRoute& route) {
  return route.base == FoldBase::none && problem.a == route.inner;
}

bool takes_a(const Problem& problem, const FoldedFamilyRules& rules) {
  const auto is_unfolded = [&](const FoldedRoute& route) { return has_unfolded_a(problem, route); };
  return is_mxfp4(problem.a) || (rules.takes_unfolded_a && std::ranges::all_of(rules.routes, is_unfolded));
}

/// Why the conversion cannot do this, or "". The library is not asked.
std::string why_no_fold(const Problem& problem, const FoldedFamilyRules& rules, const DeviceInfo& device) {
  if (!device.arch.starts_with("sm90")) return fmt::format("its kernels are for sm90, not {}", device.arch);
  if (!takes_a(problem, rules) || !is_mxfp4(problem.w))
    return rules.takes_unfolded_a ? "multiplies bf16 or e2m1/1x32 by e2m1/1x32 only"
                                  : "multiplies e2m1/1x32 by e2m1/1x32 only";
  if (!problem.packed) return "converts the weights once, ahead of all calls: they must be packed";
  return problem.k % fold_block == 0 ? "" : "K % 32 != 0";
}

class FoldedFamily final : public KernelFamily {
 public:
  explicit FoldedFamily(FoldedFamilyRules rules) : rules_(std::move(rules)), library_(make_cublaslt_family()) {}

  std::string_view name() const override { return rules_.name; }
  std::string version() const override { return library_->version(); }
  DeviceKind runs_on() const override { return DeviceKind::cuda; }

  std::string why_not(const Problem& problem, const DeviceInfo& device) const override {
    if (auto why = why_no_fold(problem, rules_, device); !why.empty()) return why;
    Support support;
    for (const auto& route : rules_.routes) {
      support = library_->supports(inner_problem(problem, route), device);
      if (support) return {};
    }
    return support.why_not;
  }

  std::vector<Candidate> candidates(const Problem& problem, const DeviceInfo& device) const override {
    std::vector<std::vector<Candidate>> lists;
    for (const auto& route : rules_.routes) lists.push_back(candidates_of(route, problem, device));
    std::vector<Candidate> all;
    for (std::size_t i = 0; i < rules_.most_of_a_route; ++i)
      for (auto& list : lists)
        if (i < list.size()) all.push_back(std::move(list[i]));
    if (!all.empty()) all.front().is_default = rules_.first_is_default;
    return all;
  }

  std::optional<Candidate> default_candidate(const Problem& problem, const DeviceInfo& device) const override {
    for (const auto& route : rules_.routes) {
      const auto inner = inner_problem(problem, route);
      if (!library_->supports(inner, device)) continue;
      auto chosen = library_->default_candidate(inner, device);
      if (chosen) return under_own_name(*std::move(chosen), route);
    }
    return std::nullopt;
  }

  /// The first route is the fastest one that the rules list.
  DefaultRank default_rank(const Problem&) const override {
    return rules_.first_is_default ? DefaultRank::last_resort : DefaultRank::usual;
  }

  std::unique_ptr<PreparedGemm> make(const Problem& problem, const Candidate& candidate,
                                     const DeviceInfo& device) const override {
    const auto* route = route_of(candidate.name);
    if (route == nullptr) fail(ErrorCode::unsupported, "{} has no kernel '{}'", name(), candidate.name);
    if (const auto why = why_no_fold(problem, rules_, device); !why.empty()) fail(ErrorCode::unsupported, "{}", why);
    auto inner = library_->prepare(
        inner_problem(problem, *route),
        {.family = std::string(library_->name()), .name = inner_name(candidate.name, *route)}, device);
    return std::make_unique<FoldedGemm>(problem, *route, std::move(inner), device.arch);
  }

  std::string why_outdated(std::string_view kernel_name) const override {
    const auto* route = route_of(kernel_name);
    return route == nullptr ? "" : library_->why_outdated(inner_name(kernel_name, *route));
  }

 private:
  std::string prefix_of(const FoldedRoute& route) const { return fmt::format("{}_{}_", rules_.name, route.word); }

  const FoldedRoute* route_of(std::string_view kernel_name) const {
    const auto found = std::ranges::find_if(
        rules_.routes, [&](const FoldedRoute& route) { return kernel_name.starts_with(prefix_of(route)); });
    return found == rules_.routes.end() ? nullptr : &*found;
  }

  std::string inner_name(std::string_view kernel_name, const FoldedRoute& route) const {
    return std::string(kernel_name.substr(prefix_of(route).size()));
  }

  /// The library's candidates, which are listed best first, under this family's names.
  std::vector<Candidate> candidates_of(const FoldedRoute& route, const Problem& problem,
                                       const DeviceInfo& device) const {
    const auto inner = inner_problem(problem, route);
    if (!library_->supports(inner, device)) return {};
    auto all = library_->candidates(inner, device);
    all.resize(std::min(all.size(), rules_.most_of_a_route));
    for (auto& candidate : all) candidate = under_own_name(std::move(candidate), route);
    return all;
  }

  Candidate under_own_name(Candidate candidate, const FoldedRoute& route) const {
    candidate.family = rules_.name;
    candidate.name = prefix_of(route) + candidate.name;
    candidate.params.insert(candidate.params.begin(), {"base", route.word});
    candidate.is_default = false;
    return candidate;
  }

  FoldedFamilyRules rules_;
  std::unique_ptr<KernelFamily> library_;
};

}  // namespace

std::unique_ptr<KernelFamily> make_folded_family(FoldedFamilyRules rules) {
  return std::make_unique<FoldedFamily>(std::move(rules));
}

}  // namespace cublaslt
}  // namespace gemmtune
