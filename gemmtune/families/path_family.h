// A family with several spaces of candidates, one for each path (families/kernel_path.h). The family lists the paths.
// Names, parsing and refusals follow from their spaces. Families with one space derive from SpaceFamily.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gemmtune/families/family.h"
#include "gemmtune/families/kernel_path.h"

namespace gemmtune {

class PathFamily : public KernelFamily {
 public:
  /// All points of all paths that support the problem. If has_default() is true, the first is the default choice.
  std::vector<Candidate> candidates(const Problem& problem, const DeviceInfo& device) const final;

 private:
  using Paths = std::vector<std::unique_ptr<KernelPath>>;

  /// The paths in order of preference: the first one that supports a problem gives the family's default.
  virtual Paths paths(const Problem& problem, const DeviceInfo& device) const = 0;

  /// Whether the first candidate is what a library's users get without tuning.
  virtual bool has_default() const { return false; }

  /// Text to add, in brackets, to the refusal of an unknown name, or "".
  virtual std::string remark(const Problem& /*problem*/, const DeviceInfo& /*device*/) const { return {}; }

  /// Empty if a path supports the problem, otherwise the reasons of all paths.
  std::string why_not(const Problem& problem, const DeviceInfo& device) const final;

  std::unique_ptr<PreparedGemm> make(const Problem& problem, const Candidate& candidate,
                                     const DeviceInfo& device) const final;
};

}  // namespace gemmtune
