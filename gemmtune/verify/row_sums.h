// A check over all rows of C where the reference has only some of them: Freivalds' (1977). Each row of C is multiplied
// with a vector r of random signs, and so are the weights: C·r must be A·(Wᵀ·r), which costs O(MK + NK + MN).
// The columns are taken in blocks, each with a sum of its own, so that what is wrong in a few columns weighs more.
// Not for problems with an activation, of which sums say nothing: see verify/sampled_columns.h.
// docs/verifying.md derives the bound, and says what this sees and what it does not.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/policy.h"
#include "gemmtune/verify/sum_rules.h"
#include "gemmtune/verify/verifier.h"

namespace gemmtune {

/// How the columns of C are divided.
struct ColumnBlocks {
  std::int64_t count{1};
  std::int64_t columns{};  // of each but the last

  std::int64_t of(std::int64_t column) const { return column / columns; }
};

struct RowSums {
  ColumnBlocks blocks{};
  std::vector<double> weights{};         // [batch][N]: r. A sign times a power of two that makes all columns alike in
                                         // size; 0 for columns that are not finite
  std::vector<double> sums{};            // [batch][M][blocks]: what C·r should be, with bias and residual
  std::vector<double> row_norms{};       // [batch][M]: ‖A[b,m,:]‖₂
  std::vector<double> column_norms{};    // [batch][N]: ‖W[b,n,:]‖₂
  std::vector<double> row_addends{};     // [batch][M]: the largest magnitude of the row's residual
  std::vector<double> column_addends{};  // [N]: the magnitude of the bias
};

/// Of up to 256 columns, or of more where a quarter of policy.full_reference_flops affords no more sums.
ColumnBlocks column_blocks(const Problem& problem, const VerifyPolicy& policy);

/// The signs: a pure function of its arguments, of which no kernel knows the seed.
double sign_of(std::uint64_t seed, std::int64_t batch, std::int64_t column);

/// ±2^-e for a column whose norm is between 2^e and 2^(e+1).
double column_weight(double sign, double norm);

/// From inputs in host memory, without gaps and in the default order. The problem must have no activation.
RowSums compute_row_sums(const Problem& problem, const Operands& operands, const VerifyPolicy& policy,
                         std::uint64_t seed);

struct SumVerdict {
  double worst_share_of_bound{};  // infinite for an element that no right kernel writes
  std::string why_wrong{};        // "" when right
};

/// What C holds: [batch][M][blocks]. C has no gaps, and all of it is written.
std::vector<BlockSum> find_block_sums(const Problem& problem, const RowSums& expected, std::span<const std::byte> c,
                                      const VerifyPolicy& policy);

/// Compares what was found with RowSums::sums.
SumVerdict judge_block_sums(const Problem& problem, const ColumnBlocks& blocks, std::span<const double> expected,
                            std::span<const BlockSum> found);

/// Both.
SumVerdict compare_row_sums(const Problem& problem, const RowSums& expected, std::span<const std::byte> c,
                            const VerifyPolicy& policy);

/// What is wrong with all rows beside what is wrong with those that were compared.
void add(Verdict& verdict, const SumVerdict& of_all_rows);

}  // namespace gemmtune
