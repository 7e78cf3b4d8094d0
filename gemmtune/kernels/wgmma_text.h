// The wgmma instruction as CUDA C++ for the run-time compiler. The instruction names every register, so each width of
// tile needs a text of its own.
#pragma once

#include <cstdint>
#include <string>

namespace gemmtune {

enum class WgmmaOperands : std::uint8_t { e4m3, int8, bf16, f16 };

/// `using Sum = …;` and wgmma_ss(Sum (&sums)[n / 2], a, w, adds) for 64 × n × 32 bytes of K, with both operands K-major
/// in shared memory; with float sums, or int sums of int8. n is a multiple of 8 up to 256 (of 16 from 32 on for int8).
std::string wgmma_text(WgmmaOperands operands, int n);

/// wgmma_rs(float (&sums)[n / 2], const unsigned (&a)[4], b, adds) for 64 × n × 32 of e4m3 or 64 × n × 16 of bf16 and
/// f16, the first operand in registers. If `adds` is false, the sums are written without being read.
std::string wgmma_from_registers_text(WgmmaOperands operands, int n);

}  // namespace gemmtune
