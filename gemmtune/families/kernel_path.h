// One of several ways in which a family multiplies: an arithmetic, or kernels for one kind of problem. Each has a space
// of candidates of its own. See families/path_family.h.
#pragma once

#include <memory>

#include "gemmtune/families/family.h"
#include "gemmtune/space/space.h"

namespace gemmtune {

class KernelPath {
 public:
  virtual ~KernelPath() = default;

  virtual Support supports(const Problem& problem, const DeviceInfo& device) const = 0;

  /// The space for a supported problem. Its first point is the path's default. Its prefix ("cpu_tile_f32") starts with
  /// the family's name. No two paths that support the problem have the same prefix and axes.
  virtual Space space(const Problem& problem, const DeviceInfo& device) const = 0;

  /// Prepares a point of the space that meets its constraints. Throws Error{unsupported} with the reason.
  virtual std::unique_ptr<PreparedGemm> prepare(const Problem& problem, const Point& point,
                                                const DeviceInfo& device) const = 0;
};

}  // namespace gemmtune
