// What the families for few rows of A have in common: which problems they support, which ways of tiling them are worth
// measuring, and how a product is prepared.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gemmtune/device/device_info.h"
#include "gemmtune/families/family.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/kernels/small_m/problem.h"
#include "gemmtune/space/space.h"

namespace gemmtune::small_m {

/// Reasons for leaving points out of a space.
inline constexpr const char* idle = "multiprocessors would be idle";
inline constexpr const char* in_flight = "too few or too many bytes in flight";
inline constexpr const char* other_rows = "another tile suits the rows of A";
inline constexpr const char* no_kernel = "no such kernel";
inline constexpr const char* short_k = "K is too short for so many parts";

/// Why no such family has a kernel for the problem, whatever its number of rows, or "".
std::string why_not(const Problem& problem, const DeviceInfo& device);

/// Whether `rows` is the smallest of the choices that holds all rows of A or, if none does, a large one.
bool suits_rows(const Problem& problem, const std::vector<std::int64_t>& choices, std::int64_t rows);

/// `bytes` is how much of W is in flight to a multiprocessor. Fewer do not keep the memory busy, and more delay A.
bool has_enough_in_flight(const Problem& problem, const SmallMCut& cut, std::int64_t bytes);

/// Whether each of the parts along K is long enough.
bool splits_well(const Problem& problem, std::int64_t parts);

/// Whether nearly as many multiprocessors are busy as with the best other size of cluster for which there is a kernel.
/// The busy multiprocessors share all of the memory's bandwidth, so not all multiprocessors need to be busy.
bool fills_device(const Problem& problem, const SmallMCut& cut, std::int64_t multiprocessors,
                  const std::function<bool(std::int64_t cluster)>& is_possible);

template <typename Tile>
Constraint rule(const char* reason, Tile (*tile_of)(const Point&), std::function<bool(const Tile&)> holds) {
  return {reason, [=](const Point& point) { return holds(tile_of(point)); }};
}

/// `Gemm` is SkinnyGemm or FusedGemm.
template <typename Gemm>
class PreparedSmallM final : public PreparedGemm {
 public:
  explicit PreparedSmallM(Gemm gemm) : gemm_(std::move(gemm)) {}

  std::size_t packed_weight_bytes() const override { return gemm_.packer().bytes(); }
  std::string packed_layout() const override { return gemm_.packer().layout_name(); }
  std::size_t workspace_bytes() const override {
    if constexpr (requires { gemm_.workspace_bytes(); }) return gemm_.workspace_bytes();
    return 0;
  }

  void pack_weights(const Operands& operands, std::byte* packed, Stream& stream) override {
    gemm_.packer().pack(operands.w, operands.w_scale, packed, stream);
  }

  void launch(const Operands& operands, Stream& stream) noexcept override { gemm_.launch(operands, stream); }

 private:
  Gemm gemm_;
};

}  // namespace gemmtune::small_m
