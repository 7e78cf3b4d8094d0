// Problems of any layout for an examiner that knows tensors without gaps in the default order: inputs are drawn plain
// and put in their places, outputs are gathered before they are judged. Gaps of inputs hold gap_byte (gemm/relayout.h);
// those of C hold its poison before a launch and must hold it afterwards.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "gemmtune/gemm/matrix_layout.h"
#include "gemmtune/verify/examiner.h"

namespace gemmtune {

/// Moves tensors in a device's memory between the two forms.
class Relayout {
 public:
  virtual ~Relayout() = default;

  /// `stored` has matrix.bytes(), gaps included, which get gap_byte.
  virtual void store(const StoredMatrix& matrix, Major major, const std::byte* plain, std::byte* stored) = 0;
  virtual void gather(const StoredMatrix& matrix, Major major, const std::byte* stored, std::byte* plain) = 0;

  /// Whether all gaps of an output hold this poison.
  virtual bool has_poisoned_gaps(const StoredMatrix& matrix, const std::byte* stored, Poison poison) = 0;
};

/// Through host memory.
std::unique_ptr<Relayout> make_host_relayout(Device& device);

/// The device must outlive it.
std::unique_ptr<Examiner> make_layout_examiner(Device& device, std::unique_ptr<Examiner> plain,
                                               std::unique_ptr<Relayout> relayout);

/// "" or where the first gap was written to, for an output in host memory.
std::string why_gaps_broken(const StoredMatrix& matrix, std::span<const std::byte> stored, Poison poison);

}  // namespace gemmtune
