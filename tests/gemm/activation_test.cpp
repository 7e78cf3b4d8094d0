#include "gemmtune/gemm/activation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace gemmtune {
namespace {

// Expected values: the formulas of gemm/epilogue.h in Python's math module.
TEST(Activate, FollowsItsFormula) {
  const double at[]{-3, -0.5, 0, 0.5, 3};
  const double gelu_erf[]{-0.0040496940948903, -0.1542687693629934, 0, 0.3457312306370065, 2.9959503059051097};
  const double gelu_tanh[]{-0.0036373920817729, -0.1542859901748561, 0, 0.3457140098251439, 2.9963626079182268};
  const double silu[]{-0.1422776195327008, -0.1887703343990727, 0, 0.3112296656009273, 2.8577223804672998};
  for (int i = 0; i < 5; ++i) {
    EXPECT_NEAR(activate(Activation::gelu_erf, at[i]), gelu_erf[i], 1e-12);
    EXPECT_NEAR(activate(Activation::gelu_tanh, at[i]), gelu_tanh[i], 1e-12);
    EXPECT_NEAR(activate(Activation::silu, at[i]), silu[i], 1e-12);
    EXPECT_EQ(activate(Activation::relu, at[i]), std::max(at[i], 0.0));
    EXPECT_EQ(activate(Activation::none, at[i]), at[i]);
  }
}

TEST(Activate, KeepsNaNAndHasItsLimits) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto activation : {Activation::relu, Activation::gelu_tanh, Activation::gelu_erf, Activation::silu}) {
    EXPECT_TRUE(std::isnan(activate(activation, nan)));
    EXPECT_EQ(activate(activation, 1e30), 1e30);
    EXPECT_EQ(activate(activation, -1e30), 0.0);
  }
}

}  // namespace
}  // namespace gemmtune
