#include "gemmtune/table/padded_m.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

struct Vector {
  std::int64_t m, n, fine, coarse;
};

TEST(PaddedM, AgreesWithAitersVectors) {
  for (const auto& [m, n, fine, coarse] : {Vector{1, 1, 16, 1},
                                           {2, 1, 16, 2},
                                           {15, 1, 16, 16},
                                           {16, 1, 16, 16},
                                           {17, 1, 32, 32},
                                           {256, 1, 256, 256},
                                           {257, 1, 288, 512},
                                           {1025, 1, 1088, 2048},
                                           {4097, 1, 4224, 8192},
                                           {8192, 8192, 8192, 8192},
                                           {8193, 4096, 8320, 16384},
                                           {8193, 4097, 8320, 8192},
                                           {100000, 4097, 100096, 8192},
                                           {100000, 4096, 100096, 131072}}) {
    EXPECT_EQ(padded_fine(m), fine) << m;
    EXPECT_EQ(padded_coarse(m, n), coarse) << m << ' ' << n;
  }
  EXPECT_EQ(padded_coarse(0, 1), 1);
}

TEST(PaddedM, FinePaddingNeverRoundsDownNorSkipsARowOfItsOwnGrid) {
  for (std::int64_t m = 1; m <= 20000; ++m) {
    EXPECT_GE(padded_fine(m), m);
    EXPECT_EQ(padded_fine(padded_fine(m)), padded_fine(m)) << m;
  }
}

}  // namespace
}  // namespace gemmtune
