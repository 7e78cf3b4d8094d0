// What the host gives to the kernels in fp8_quantise.cu. Shared by the host and the run-time compiler.
#pragma once

#include <cstdint>

namespace gemmtune {

struct Fp8QuantiseArguments {
  const unsigned char* from{};  // floats [rows][k], aligned to 16 bytes
  unsigned char* values{};      // [rows][k]
  float* scales{};              // [rows][k / 128, rounded up], or [rows]
  std::int64_t rows{};
  std::int64_t units_of_row{};  // of fp8_quantise_unit elements
};

/// Elements that a thread handles at a time.
constexpr std::int64_t fp8_quantise_unit = 8;

}  // namespace gemmtune
