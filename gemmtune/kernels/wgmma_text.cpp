#include "gemmtune/kernels/wgmma_text.h"

#include <fmt/format.h>

namespace gemmtune {

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
      "using Sum = {sum};\n"
      "__device__ __forceinline__ void wgmma(Sum (&sums)[{registers}], unsigned long long a, unsigned long long w, "
      "bool adds) {{\n"
      "  asm volatile(\"{{\\n.reg .pred adds;\\nsetp.ne.b32 adds, %{adds}, 0;\\n\"\n"
      "      \"wgmma.mma_async.sync.aligned.m64n{n}k32.{types} {{{names}}}, %{a}, %{w}, adds{signs};\\n}}\"\n"
      "      : {outputs}\n"
      "      : \"l\"(a), \"l\"(w), \"r\"(static_cast<int>(adds)));\n"
      "}}\n",
      fmt::arg("sum", int8 ? "int" : "float"), fmt::arg("registers", registers), fmt::arg("adds", registers + 2),
      fmt::arg("n", n), fmt::arg("types", int8 ? "s32.s8.s8" : "f32.e4m3.e4m3"), fmt::arg("names", names),
      fmt::arg("a", registers), fmt::arg("w", registers + 1), fmt::arg("signs", int8 ? "" : ", 1, 1"),
      fmt::arg("outputs", outputs));
}

}  // namespace gemmtune
