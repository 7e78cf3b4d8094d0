// A family whose candidates are the points of one space. The family says which problems it supports, describes the
// space, and prepares points. Names, parsing and refusals follow from the space.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gemmtune/families/family.h"
#include "gemmtune/space/space.h"

namespace gemmtune {

class SpaceFamily : public KernelFamily {
 public:
  /// All points that meet the constraints, each after adjust(): the one of the least estimate() first, the others in
  /// the order of the space. If has_default() is true, the first is the default choice.
  std::vector<Candidate> candidates(const Problem& problem, const DeviceInfo& device) const final;

  std::vector<KernelSource> kernels(const Problem& problem, const Candidate& candidate,
                                    const DeviceInfo& device) const final;

 private:
  /// The space for a problem that the family supports. Its prefix starts with the family's name.
  virtual Space space(const Problem& problem, const DeviceInfo& device) const = 0;

  /// Whether the first candidate is what a library's users get without tuning.
  virtual bool has_default() const { return false; }

  /// What a point is expected to cost, in any unit. Without estimates, the space's first point comes first.
  virtual double estimate(const Problem& /*problem*/, const DeviceInfo& /*device*/, const Point& /*point*/) const {
    return 0;
  }

  /// Fills in what a candidate has in addition to its name and parameters, for example split_k.
  virtual void adjust(Candidate& /*candidate*/, const Point& /*point*/) const {}

  /// Why this point cannot be prepared, or "". A name in a table need not meet the space's constraints, so constraints
  /// that only keep bad choices out of a search should not be checked here.
  virtual std::string why_no_kernel(const Problem& problem, const DeviceInfo& device, const Point& point) const;

  virtual std::unique_ptr<PreparedGemm> make_at(const Problem& problem, const DeviceInfo& device,
                                                const Point& point) const = 0;

  /// See KernelFamily::kernels().
  virtual std::vector<KernelSource> kernels_at(const Problem& /*problem*/, const DeviceInfo& /*device*/,
                                               const Point& /*point*/) const {
    return {};
  }

  std::unique_ptr<PreparedGemm> make(const Problem& problem, const Candidate& candidate,
                                     const DeviceInfo& device) const final;

  /// The space of a problem. Throws Error{unsupported} if the problem is not supported.
  Space supported_space(const Problem& problem, const DeviceInfo& device) const;

  /// The point of a name. Throws Error{unsupported} if this space has no kernel of that name. The point lives as long
  /// as the space.
  Point parsed(const Space& all, const Problem& problem, const Candidate& candidate, const DeviceInfo& device) const;
};

}  // namespace gemmtune
