// The descriptor that tells wgmma where an operand is in shared memory: the PTX ISA's "Matrix Descriptor Format", among
// the asynchronous warpgroup-level matrix instructions.
//
//   bits     field                            value
//   13-0     start address                    address / 16
//   29-16    leading dimension byte offset    bytes / 16; not read for K-major operands that are swizzled
//   45-32    stride dimension byte offset     bytes / 16
//   51-49    base offset                      0, because swizzled operands are aligned to their pattern
//   63-62    swizzle mode                     0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes
//   others                                    0
//
// Operands are K-major here. A core matrix is 8 rows of 16 bytes. Without swizzle, the leading offset is from one core
// matrix to the next along K, and the stride is from 8 rows to the next 8. With the 128-byte swizzle, 8 rows of 128
// bytes of K lie in 1024 bytes, and the 16-byte parts of row r are permuted by XOR with r % 8, as TMA stores them.
#pragma once

enum class Swizzle : unsigned { none = 0, bytes_128 = 1, bytes_64 = 2, bytes_32 = 3 };

struct OperandLayout {
  unsigned leading_bytes;
  unsigned stride_bytes;
  Swizzle swizzle;
};

/// All of the descriptor except its address.
constexpr unsigned long long wgmma_layout(const OperandLayout& layout) {
  return static_cast<unsigned long long>(layout.leading_bytes >> 4) << 16 |
         static_cast<unsigned long long>(layout.stride_bytes >> 4) << 32 |
         static_cast<unsigned long long>(layout.swizzle) << 62;
}

constexpr unsigned long long wgmma_swizzled_128 =
    wgmma_layout({.leading_bytes = 16, .stride_bytes = 1024, .swizzle = Swizzle::bytes_128});

/// `address` is in shared memory. 32 bytes further along K add 2 to the descriptor, with and without swizzle.
__device__ __forceinline__ unsigned long long wgmma_descriptor(unsigned address, unsigned long long layout) {
  return (address & 0x3ffff) >> 4 | layout;
}

/// The lower half of the descriptor of a K-major operand with the 128-byte swizzle. Bytes further on, divided by 16,
/// can be added to it.
__device__ __forceinline__ unsigned wgmma_swizzled_half(unsigned sixteenths) {
  return sixteenths | static_cast<unsigned>(wgmma_swizzled_128);
}

/// The descriptor of which this is the lower half. The upper one is a constant.
__device__ __forceinline__ unsigned long long wgmma_descriptor_of_half(unsigned half) {
  unsigned long long both;
  asm("mov.b64 %0, {%1, %2};" : "=l"(both) : "r"(half), "n"(static_cast<unsigned>(wgmma_swizzled_128 >> 32)));
  return both;
}

/// The same from the address divided by 16.
__device__ __forceinline__ unsigned long long wgmma_swizzled_descriptor(unsigned sixteenths) {
  return wgmma_descriptor_of_half(wgmma_swizzled_half(sixteenths));
}
