// The family of our own CPU kernels: several arithmetics (path.h), each with its own space.
#include <fmt/format.h>

#include "gemmtune/families/cpu_tile/path.h"
#include "gemmtune/families/path_family.h"

namespace gemmtune {
namespace {

class CpuTileFamily final : public PathFamily {
 public:
  std::string_view name() const override { return "cpu_tile"; }

  std::string version() const override { return fmt::format("1 ({})", __VERSION__); }

  FeatureSet features() const override { return basic_features().with(block_features()); }

 private:
  std::vector<std::unique_ptr<KernelPath>> paths(const Problem&, const DeviceInfo&) const override {
    std::vector<std::unique_ptr<KernelPath>> all;
    all.push_back(cpu_tile::make_mxfp4_path());
    all.push_back(cpu_tile::make_block_path());
    all.push_back(cpu_tile::make_int8_path());
    all.push_back(cpu_tile::make_stream_path());
    all.push_back(cpu_tile::make_float_path());
    return all;
  }
};

}  // namespace

std::unique_ptr<KernelFamily> make_cpu_tile_family() { return std::make_unique<CpuTileFamily>(); }

}  // namespace gemmtune
