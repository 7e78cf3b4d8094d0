// The kernels of the check over all rows, run on the host with one thread to a block: they make the host's sums.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gemmtune/gemm/codec.h"
#include "gemmtune/verify/row_sums.h"
#include "tests/verify/naive.h"

namespace {

struct Index {
  unsigned x{};
};

thread_local Index blockIdx{};
constexpr Index threadIdx{0};
constexpr Index blockDim{1};

void __syncthreads() {}

}  // namespace

#define __global__
#define __device__
#define __shared__ thread_local
#define CODEC Bf16Codec
#include "gemmtune/verify/gpu/sum_blocks.cuh"
#include "gemmtune/verify/gpu/weighted_sums.cuh"

namespace gemmtune {
namespace {

constexpr std::uint64_t seed = 4;
constexpr VerifyPolicy policy{};

template <typename Kernel>
void launch(std::int64_t blocks, const Kernel& kernel) {
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) kernel();
}

class RowSumKernels : public testing::Test {
 protected:
  Problem problem_ = parse_problem("5x530x40:bf16:bf16:bf16:batch=2:bias:residual");
  HostOperands operands_ = draw_operands(problem_, Recipe::nan_inf, seed);
  RowSums expected_ = compute_row_sums(problem_, operands_of(operands_), policy, seed);
  naive::Real real_ = naive::real_operands(problem_, operands_);
  std::vector<double> addends_ = std::vector<double>(expected_.sums.size());

  SummedOutput output(const std::vector<std::byte>& c) const {
    return {.c = bytes(c),
            .bias = bytes(operands_.bias),
            .addends = addends_.data(),
            .weights = expected_.weights.data(),
            .row_norms = expected_.row_norms.data(),
            .column_norms = expected_.column_norms.data(),
            .m = problem_.m,
            .n = problem_.n,
            .blocks = expected_.blocks.count,
            .columns = expected_.blocks.columns};
  }

  static const unsigned char* bytes(const std::vector<std::byte>& of) {
    return reinterpret_cast<const unsigned char*>(of.data());
  }
};

TEST_F(RowSumKernels, MakeTheSumsThatAreExpected) {
  const auto [count, columns] = expected_.blocks;
  ASSERT_EQ(count, 3);
  std::vector<double> sums(expected_.sums.size());
  for (std::int64_t batch = 0; batch < 2; ++batch) {
    std::vector<double> vectors(count * problem_.k);
    for (std::int64_t block = 0; block < count; ++block) {
      const auto first = batch * problem_.n + block * columns;
      const WeightedColumns some{.columns = real_.w.data() + first * problem_.k,
                                 .weights = expected_.weights.data() + first,
                                 .sum = vectors.data() + block * problem_.k,
                                 .count = std::min(columns, problem_.n - block * columns),
                                 .depth = problem_.k};
      launch(problem_.k, [&] { add_weighted(some); });
    }
    const VectorProducts products{.rows = real_.a.data() + batch * problem_.m * problem_.k,
                                  .vectors = vectors.data(),
                                  .products = sums.data() + batch * problem_.m * count,
                                  .vectors_count = count,
                                  .depth = problem_.k};
    launch(problem_.m, [&] { multiply_vectors(products); });
  }
  launch(std::ssize(sums), [&] { add_addends(output({}), bytes(operands_.residual), sums.data(), addends_.data()); });
  for (std::int64_t i = 0; i < std::ssize(sums); ++i) {
    if (!std::isfinite(expected_.row_norms[i / count])) continue;
    EXPECT_NEAR(sums[i], expected_.sums[i], 1e-9) << i;
    EXPECT_LE(addends_[i], expected_.row_addends[i / count]) << i;
    EXPECT_GT(addends_[i], 0) << i;
  }
}

TEST_F(RowSumKernels, SumWhatIsFound) {
  const auto c = naive::rounded(problem_, naive::multiply<float>(problem_, real_, problem_.k));
  const SumRules rules{.closeness = closeness_rules(problem_, policy)};
  launch(std::ssize(addends_), [&] {
    std::vector<double> ignored(addends_.size());
    add_addends(output({}), bytes(operands_.residual), ignored.data(), addends_.data());
  });
  std::vector<BlockSum> found(expected_.sums.size());
  launch(std::ssize(found), [&] { sum_blocks(output(c), rules, found.data()); });
  const auto on_host = find_block_sums(problem_, expected_, c, policy);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].apart, on_host[i].apart) << i;
    EXPECT_EQ(found[i].wrong, 0) << i;
    EXPECT_NEAR(found[i].sum, on_host[i].sum, 1e-9) << i;
    EXPECT_NEAR(found[i].squares, on_host[i].squares, 1e-9) << i;
  }
  EXPECT_EQ(judge_block_sums(problem_, expected_.blocks, expected_.sums, found).why_wrong, "");
}

}  // namespace
}  // namespace gemmtune
