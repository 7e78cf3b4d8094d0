// The family of our own CPU kernels: hands each problem to the arithmetics (path.h) that can do it.
#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/families/cpu_tile/path.h"

namespace gemmtune {
namespace {

using cpu_tile::TilePath;

using Paths = std::vector<std::unique_ptr<TilePath>>;

/// In the order of preference: the first path that supports a problem gives the family's default.
Paths make_paths() {
  Paths paths;
  paths.push_back(cpu_tile::make_mxfp4_path());
  paths.push_back(cpu_tile::make_int8_path());
  paths.push_back(cpu_tile::make_stream_path());
  paths.push_back(cpu_tile::make_float_path());
  return paths;
}

class CpuTileFamily final : public KernelFamily {
 public:
  std::string_view name() const override { return "cpu_tile"; }

  std::string version() const override { return fmt::format("1 ({})", __VERSION__); }

  std::string why_not(const Problem& problem, const DeviceInfo& device) const override {
    std::vector<std::string> reasons;
    for (const auto& path : paths_) {
      Support support = path->supports(problem, device);
      if (support) return {};
      reasons.push_back(std::move(support.why_not));
    }
    return join(reasons, "; ");
  }

  std::vector<Candidate> candidates(const Problem& problem, const DeviceInfo& device) const override {
    std::vector<Candidate> all;
    for (const auto& path : paths_) {
      if (!path->supports(problem, device)) continue;
      const Space space = path->space(problem, device);
      for (const Point& point : space.points()) all.push_back(space.candidate("cpu_tile", point));
    }
    return all;
  }

  std::unique_ptr<PreparedGemm> make(const Problem& problem, const Candidate& candidate,
                                     const DeviceInfo& device) const override {
    if (const Support support = supports(problem, device); !support) {
      fail(ErrorCode::unsupported, "cpu_tile: {}", support.why_not);
    }
    for (const auto& path : paths_) {
      if (!path->supports(problem, device)) continue;
      const Space space = path->space(problem, device);
      const std::optional<Point> point = space.parse(candidate.name);
      if (!point) continue;
      if (const std::string why = space.why_not(*point); !why.empty()) {
        fail(ErrorCode::unsupported, "{}: {}", candidate.name, why);
      }
      return path->prepare(problem, *point, device);
    }
    fail(ErrorCode::unsupported, "cpu_tile has no kernel '{}' for {}", candidate.name, to_string(problem));
  }

 private:
  Paths paths_{make_paths()};
};

}  // namespace

std::unique_ptr<KernelFamily> make_cpu_tile_family() { return std::make_unique<CpuTileFamily>(); }

}  // namespace gemmtune
