// In which numeric format the multiplications of a GGUF file's tensors are listed, by the tensors' types.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gemmtune/exchange/gguf_types.h"
#include "gemmtune/gemm/problem.h"

namespace gemmtune {

class GgufFormats {
 public:
  /// `asked` is a format's name, three types, or "". It is for the tensors whose blocks are those of its weights; if
  /// none of `types` is, it is for all quantised ones, as if they were converted. Throws Error{usage} if `asked` is not
  /// a format.
  GgufFormats(std::string_view asked, const std::vector<std::uint32_t>& types);

  /// The types of a multiplication with weights of this type: MXFP4 as a8w4, NVFP4 as a8w4_nvfp4, Q4_0 as
  /// a8wq4, Q8_0 as a8wq8, each with activations and outputs in f32; floats with activations and outputs of their own
  /// type. Nothing for types whose blocks no format has.
  std::optional<Problem> of(std::uint32_t type) const;

 private:
  bool is_asked_for(std::uint32_t type) const;

  std::optional<Problem> asked_{};
  bool for_all_quantised_{};
};

}  // namespace gemmtune
