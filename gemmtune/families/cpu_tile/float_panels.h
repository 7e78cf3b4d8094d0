// The panels that tiles multiply: A's, which each launch packs, and the weights', which are packed in advance or
// decoded block by block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gemmtune/families/cpu_tile/float_kernels.h"
#include "gemmtune/families/cpu_tile/float_plan.h"
#include "gemmtune/families/cpu_tile/range.h"
#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune::cpu_tile {

/// Where W panels come from.
enum class Weights : std::uint8_t {
  direct,  // from the rows as they are stored, block by block, in each launch
  panel,   // packed in advance with elements as stored; a copy of the scales follows the panels
};

/// A range of elements along K of one W panel.
struct PanelPart {
  std::int64_t batch{};
  std::int64_t panel{};
  Range k{};
};

class WeightPanels {
 public:
  WeightPanels(const Problem& problem, const FloatKernels& kernels, const TilePlan& plan, Weights weights);

  std::size_t packed_bytes() const;

  /// Packs all weights on the plan's threads.
  void pack(const Operands& operands, std::byte* packed) const;

  /// The floats (or pairs) of a part if they were packed ready to be multiplied; null if they must be decoded.
  const float* in_place(const Operands& operands, const PanelPart& part) const noexcept;

  void decode(const Operands& operands, const PanelPart& part, float* out) const noexcept;

 private:
  Rows rows(const Operands& operands, std::int64_t batch) const noexcept;
  std::int64_t scale_offset() const;
  std::int64_t panel_bytes() const { return plan_.w_panel_elements() * element_bytes_; }
  std::int64_t columns_of(std::int64_t panel) const;
  void pack_panel(const Rows& rows, std::int64_t panel, std::byte* to) const;

  Problem problem_;
  TilePlan plan_;
  Weights weights_;
  bool pairs_;
  bool ready_;  // whether packed panels are multiplied without decoding
  std::int64_t element_bytes_;
  PackFunction pack_;
  WidenFunction widen_;
};

class APanels {
 public:
  APanels(const Problem& problem, const FloatKernels& kernels, const TilePlan& plan);

  std::int64_t count() const { return problem_.batch * plan_.m_panels; }

  /// Decodes a whole panel. Its index is batch · m_panels + panel.
  void pack(const Operands& operands, std::int64_t index, float* out) const noexcept;

 private:
  void copy_rows(const Rows& rows, const Range& range, float* out) const noexcept;

  Problem problem_;
  TilePlan plan_;
  const FloatKernels* kernels_;
  Source source_;
};

}  // namespace gemmtune::cpu_tile
