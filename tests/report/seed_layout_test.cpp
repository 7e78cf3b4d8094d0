#include "gemmtune/report/seed_layout.h"

#include <gtest/gtest.h>

#include "tests/report/invented_measurements.h"

namespace gemmtune {
namespace {

/// The lines that AITER's guide prints.
TEST(SeedLayout, FourBackendsThenPairsThenWhatWentWrong) {
  auto wrong = timed(3, "cktile", 1);
  wrong.err_ratio = 0.18;
  const auto text =
      seed_layout_text(compare({timed(1024, "asm", 2), timed(1024, "cktile", 3), timed(1024, "triton", 4),
                                timed(2048, "asm", 4), timed(2048, "gluon", 3), wrong, timed(3, "asm", 2)}));
  EXPECT_EQ(text,
            "| Shape (MxNxK) | Triton | Gluon    | CK-Tile | ASM      | Best  | ASM/Best-Alt |\n"
            "|---------------|--------|----------|---------|----------|-------|--------------|\n"
            "| 3x512x4096    | -      | -        | -       | **6.29** | ASM   | -            |\n"
            "| 1024x512x4096 | 1074   | -        | 1432    | **2147** | ASM   | 1.50x        |\n"
            "| 2048x512x4096 | -      | **2863** | -       | 2147     | Gluon | 0.75x        |\n"
            "\n"
            "ASM vs CK-Tile: min 1.50x, max 1.50x, mean 1.50x speedup\n"
            "ASM vs Gluon: min 0.75x, max 0.75x, mean 0.75x speedup\n"
            "ASM vs Triton: min 2.00x, max 2.00x, mean 2.00x speedup\n"
            "\n"
            "Shapes where ASM loses to another backend: 2048x512x4096\n"
            "Shapes with errRatio > 0.05: 3x512x4096\n");
}

TEST(SeedLayout, NothingIsNone) {
  const auto text = seed_layout_text(compare({timed(1024, "asm", 2)}));
  EXPECT_NE(text.find("\nShapes where ASM loses to another backend: none\nShapes with errRatio > 0.05: none\n"),
            std::string::npos)
      << text;
}

TEST(SeedLayout, OtherBackendsFollow) {
  const auto text = seed_layout_text(compare({timed(1024, "onednn", 2), timed(1024, "asm", 1)}));
  EXPECT_NE(text.find("| ASM      | onednn"), std::string::npos) << text;
  EXPECT_NE(text.find("ASM vs onednn: min 2.00x, max 2.00x, mean 2.00x speedup\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace gemmtune
