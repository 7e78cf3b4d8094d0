// What the host hands to the kernels of fold.cu, as text that host and run-time compiler share.
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
  unsigned* highest{};  // of the scale bytes that a block of find_highest saw
  std::int64_t rows{};
  std::int64_t k{};
  std::int32_t units_of_segment{};  // a unit makes 16 bytes; a segment is a block's share of a row
  std::int32_t highest_count{};
};

}  // namespace gemmtune
