// What differs between the instructions for different operands. Compiling the text is left to the families' tests.
#include "gemmtune/kernels/wgmma_text.h"

#include <gtest/gtest.h>

#include <string>

namespace gemmtune {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(WgmmaText, OperandsInSharedMemory) {
  const auto e4m3 = wgmma_text(WgmmaOperands::e4m3, 16);
  EXPECT_TRUE(has(e4m3, "m64n16k32.f32.e4m3.e4m3 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, adds, 1, 1;"));
  const auto bf16 = wgmma_text(WgmmaOperands::bf16, 8);
  EXPECT_TRUE(has(bf16, "m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, adds, 1, 1, 0, 0;"));
  EXPECT_TRUE(
      has(wgmma_text(WgmmaOperands::f16, 8), "m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, adds, 1, 1, 0, 0;"));
  const auto int8 = wgmma_text(WgmmaOperands::int8, 8);
  EXPECT_TRUE(has(int8, "m64n8k32.s32.s8.s8 {%0, %1, %2, %3}, %4, %5, adds;"));
  EXPECT_TRUE(has(int8, "using Sum = int;"));
}

TEST(WgmmaText, FirstOperandInRegisters) {
  const auto first = "{%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, adds, 1, 1";
  EXPECT_TRUE(has(wgmma_from_registers_text(WgmmaOperands::e4m3, 8), "k32.f32.e4m3.e4m3 " + std::string(first) + ";"));
  EXPECT_TRUE(
      has(wgmma_from_registers_text(WgmmaOperands::bf16, 8), "k16.f32.bf16.bf16 " + std::string(first) + ", 0;"));
}

}  // namespace
}  // namespace gemmtune
