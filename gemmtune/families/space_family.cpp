#include "gemmtune/families/space_family.h"

#include <algorithm>

#include "gemmtune/core/error.h"

namespace gemmtune {

std::vector<Candidate> SpaceFamily::candidates(const Problem& problem, const DeviceInfo& device) const {
  const Space all = space(problem, device);
  auto points = all.points();
  const auto first = std::ranges::min_element(points, {}, [&](const Point& p) { return estimate(problem, device, p); });
  if (first != points.end()) std::rotate(points.begin(), first, std::next(first));
  std::vector<Candidate> candidates;
  for (const auto& point : points) {
    candidates.push_back(all.candidate(std::string(name()), point));
    adjust(candidates.back(), point);
  }
  if (!candidates.empty()) candidates.front().is_default = has_default();
  return candidates;
}

std::vector<KernelSource> SpaceFamily::kernels(const Problem& problem, const Candidate& candidate,
                                               const DeviceInfo& device) const {
  const Space all = supported_space(problem, device);
  return kernels_at(problem, device, parsed(all, problem, candidate, device));
}

std::string SpaceFamily::why_no_kernel(const Problem& problem, const DeviceInfo& device, const Point& point) const {
  return space(problem, device).why_not(point);
}

std::unique_ptr<PreparedGemm> SpaceFamily::make(const Problem& problem, const Candidate& candidate,
                                                const DeviceInfo& device) const {
  const Space all = supported_space(problem, device);
  return make_at(problem, device, parsed(all, problem, candidate, device));
}

Space SpaceFamily::supported_space(const Problem& problem, const DeviceInfo& device) const {
  if (const auto support = supports(problem, device); !support)
    fail(ErrorCode::unsupported, "{}: {}", name(), support.why_not);
  return space(problem, device);
}

Point SpaceFamily::parsed(const Space& all, const Problem& problem, const Candidate& candidate,
                          const DeviceInfo& device) const {
  const auto point = all.parse(candidate.name);
  if (!point) fail(ErrorCode::unsupported, "{} has no kernel '{}'", name(), candidate.name);
  if (const auto why = why_no_kernel(problem, device, *point); !why.empty())
    fail(ErrorCode::unsupported, "{}: {}", candidate.name, why);
  return *point;
}

}  // namespace gemmtune
