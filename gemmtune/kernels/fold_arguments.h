// The arguments of the kernels in fold.cu. Shared by the host and the run-time compiler.
#pragma once

#include <cstdint>

namespace gemmtune {

/// Addresses of what is read and written. See FoldLayout in kernels/fold.h.
struct FoldArguments {
  const unsigned char* values{};
  const unsigned char* e8m0{};
  unsigned char* folded{};
  float* scales{};
  unsigned char* wide{};
  unsigned short* ranges{};
  unsigned* highest{};  // of the scale bytes that each block of find_highest saw
  std::int64_t rows{};
  std::int64_t k{};
  std::int32_t units_of_segment{};  // a unit becomes 16 bytes; a segment is the part of a row that one block folds
  std::int32_t highest_count{};
};

}  // namespace gemmtune
