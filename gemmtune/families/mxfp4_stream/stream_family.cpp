#include "gemmtune/families/mxfp4_stream/stream_family.h"

#include "gemmtune/core/error.h"

namespace gemmtune::mxfp4_stream {

std::vector<Candidate> StreamFamily::candidates(const Problem& problem, const DeviceInfo& device) const {
  const Space all = space(problem, device);
  std::vector<Candidate> candidates;
  // Parts along K stay within a cluster and need no memory: they are not what tables and --splitK call a split.
  for (const auto& point : all.points()) candidates.push_back(all.candidate(std::string(name()), point));
  return candidates;
}

std::unique_ptr<PreparedGemm> StreamFamily::make(const Problem& problem, const Candidate& candidate,
                                                 const DeviceInfo& device) const {
  const Space all = usable_space(problem, device);
  return prepared(problem, parsed(problem, candidate, all), device);
}

std::vector<KernelSource> StreamFamily::kernels(const Problem& problem, const Candidate& candidate,
                                                const DeviceInfo& device) const {
  const Space all = usable_space(problem, device);
  return sources(problem, parsed(problem, candidate, all));
}

Space StreamFamily::usable_space(const Problem& problem, const DeviceInfo& device) const {
  if (const auto support = supports(problem, device); !support) fail(ErrorCode::unsupported, "{}", support.why_not);
  return space(problem, device);
}

Point StreamFamily::parsed(const Problem& problem, const Candidate& candidate, const Space& all) const {
  const auto point = all.parse(candidate.name);
  if (!point) fail(ErrorCode::unsupported, "{} has no kernel '{}'", name(), candidate.name);
  if (const auto why = why_no_kernel(problem, *point); !why.empty()) fail(ErrorCode::unsupported, "{}", why);
  return *point;
}

}  // namespace gemmtune::mxfp4_stream
