#include "gemmtune/families/path_family.h"

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"

namespace gemmtune {

std::string PathFamily::why_not(const Problem& problem, const DeviceInfo& device) const {
  std::vector<std::string> reasons;
  for (const auto& path : paths(problem, device)) {
    Support support = path->supports(problem, device);
    if (support) return {};
    reasons.push_back(std::move(support.why_not));
  }
  return join(reasons, "; ");
}

std::vector<Candidate> PathFamily::candidates(const Problem& problem, const DeviceInfo& device) const {
  std::vector<Candidate> all;
  for (const auto& path : paths(problem, device)) {
    if (!path->supports(problem, device)) continue;
    const Space space = path->space(problem, device);
    for (const Point& point : space.points()) all.push_back(space.candidate(std::string(name()), point));
  }
  if (!all.empty()) all.front().is_default = has_default();
  return all;
}

std::unique_ptr<PreparedGemm> PathFamily::make(const Problem& problem, const Candidate& candidate,
                                               const DeviceInfo& device) const {
  std::string reasons;
  for (const auto& path : paths(problem, device)) {
    if (const auto support = path->supports(problem, device); !support) {
      reasons += "; " + support.why_not;
      continue;
    }
    const Space space = path->space(problem, device);
    const auto point = space.parse(candidate.name);
    if (!point) continue;
    if (const auto why = space.why_not(*point); !why.empty())
      fail(ErrorCode::unsupported, "{}: {}", candidate.name, why);
    return path->prepare(problem, *point, device);
  }
  fail(ErrorCode::unsupported, "{} has no kernel '{}' for {}{}{}", name(), candidate.name, to_string(problem),
       remark(problem, device), reasons);
}

}  // namespace gemmtune
