// GGUF's blocks and gemmtune's tensors of values and scales: the same bits in another order.
#pragma once

#include <cstdint>
#include <vector>

#include "gguf_file.h"

/// The weights of some experts as gemmtune takes them.
struct Weights {
  std::vector<unsigned char> values;  // [experts, n, k]: 4 bits, element 2i in the low nibble, or 8 bits
  std::vector<unsigned char> scales;  // [experts, n, k / 32]: E8M0 bytes for MXFP4, f16 for Q4_0 and Q8_0
};

/// Those of the tensor's first `experts` experts. MXFP4 blocks are a scale and 16 bytes, in which elements 0 to 15 are
/// the low nibbles and 16 to 31 the high ones. Q4_0 blocks have the same nibbles, of value + 8, behind an f16 scale,
/// and Q8_0 blocks 32 int8.
Weights rearranged(const BlockTensor& tensor, std::int64_t experts);

/// One row of the tensor in the numbers that it stands for, read from the blocks themselves.
std::vector<double> row_of(const BlockTensor& tensor, std::int64_t expert, std::int64_t row);
