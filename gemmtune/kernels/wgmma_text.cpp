#include "gemmtune/kernels/wgmma_text.h"

#include <fmt/format.h>

#include <string_view>

namespace gemmtune {
namespace {

/// The placeholders "%first, …, %last" of an asm statement.
std::string places(int first, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format("{}%{}", i == 0 ? "" : ", ", first + i);
  return text;
}

/// What the instruction is called for the operands, and what follows its predicate.
struct Instruction {
  std::string_view types;  // with the depth along K
  std::string_view rest;   // signs of both operands, and that both are K-major, where the instruction asks
};

Instruction instruction_of(WgmmaOperands operands) {
  switch (operands) {
    case WgmmaOperands::int8:
      return {"k32.s32.s8.s8", ""};
    case WgmmaOperands::bf16:
      return {"k16.f32.bf16.bf16", ", 1, 1, 0, 0"};
    case WgmmaOperands::f16:
      return {"k16.f32.f16.f16", ", 1, 1, 0, 0"};
    case WgmmaOperands::e4m3:
      break;
  }
  return {"k32.f32.e4m3.e4m3", ", 1, 1"};
}

/// One asm statement, in which sums are either added to or only written.
std::string from_registers_statement(WgmmaOperands operands, int n, std::string_view outputs, bool adds) {
  const bool is_half = operands == WgmmaOperands::bf16 || operands == WgmmaOperands::f16;
  const int sums = n / 2;
  return fmt::format(
      "    asm volatile(\"{{\\n.reg .pred adds;\\nsetp.ne.b32 adds, {adds}, 0;\\n\"\n"
      "        \"wgmma.mma_async.sync.aligned.m64n{n}{types} {{{sums}}}, {{{a}}}, %{b}, adds, 1, 1{order};\\n}}\"\n"
      "        : {outputs}\n"
      "        : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), \"l\"(b));\n",
      fmt::arg("types", instruction_of(operands).types), fmt::arg("order", is_half ? ", 0" : ""),
      fmt::arg("adds", adds ? 1 : 0), fmt::arg("n", n), fmt::arg("sums", places(0, sums)),
      fmt::arg("a", places(sums, 4)), fmt::arg("b", sums + 4), fmt::arg("outputs", outputs));
}

std::string sum_operands(int n, std::string_view constraint) {
  std::string text;
  for (int i = 0; i < n / 2; ++i) text += fmt::format("{}\"{}\"(sums[{}])", i == 0 ? "" : ", ", constraint, i);
  return text;
}

}  // namespace

std::string wgmma_from_registers_text(WgmmaOperands operands, int n) {
  return fmt::format(
      "#pragma once\n"
      "__device__ __forceinline__ void wgmma_rs(float (&sums)[{}], const unsigned (&a)[4], unsigned long long b,\n"
      "                                         bool adds) {{\n  if (adds)\n{}  else\n{}}}\n",
      n / 2, from_registers_statement(operands, n, sum_operands(n, "+f"), true),
      from_registers_statement(operands, n, sum_operands(n, "=f"), false));
}

std::string wgmma_text(WgmmaOperands operands, int n) {
  const bool int8 = operands == WgmmaOperands::int8;
  const int registers = n / 2;
  std::string names;
  std::string outputs;
  for (int i = 0; i < registers; ++i) {
    names += fmt::format("{}%{}", i == 0 ? "" : ", ", i);
    outputs += fmt::format("{}\"+{}\"(sums[{}])", i == 0 ? "" : ", ", int8 ? 'r' : 'f', i);
  }
  return fmt::format(
      "#pragma once\n"
      "using Sum = {sum};\n"
      "__device__ __forceinline__ void wgmma_ss(Sum (&sums)[{registers}], unsigned long long a, unsigned long long w, "
      "bool adds) {{\n"
      "  asm volatile(\"{{\\n.reg .pred adds;\\nsetp.ne.b32 adds, %{adds}, 0;\\n\"\n"
      "      \"wgmma.mma_async.sync.aligned.m64n{n}{types} {{{names}}}, %{a}, %{w}, adds{rest};\\n}}\"\n"
      "      : {outputs}\n"
      "      : \"l\"(a), \"l\"(w), \"r\"(static_cast<int>(adds)));\n"
      "}}\n",
      fmt::arg("sum", int8 ? "int" : "float"), fmt::arg("registers", registers), fmt::arg("adds", registers + 2),
      fmt::arg("n", n), fmt::arg("types", instruction_of(operands).types), fmt::arg("names", names),
      fmt::arg("a", registers), fmt::arg("w", registers + 1), fmt::arg("rest", instruction_of(operands).rest),
      fmt::arg("outputs", outputs));
}

}  // namespace gemmtune
