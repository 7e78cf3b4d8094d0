#include "gemmtune/families/cpu_tile/exact_round.h"
#include "gemmtune/families/cpu_tile/int8_functions.h"

namespace gemmtune::cpu_tile::portable {
namespace {

/// The product of the sum and the scales. It is exact if the scales are powers of two.
double product(const FinishJob& job, std::int64_t r, std::int64_t c) {
  const auto off = job.correction != nullptr ? static_cast<std::uint32_t>(job.correction[c]) : 0U;
  const auto sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(job.acc[r * job.acc_stride + c]) - off);
  return static_cast<double>(sum) * job.row_scale[r] * job.col_scale[c];
}

}  // namespace

void finish(const FinishJob& job) {
  const std::int64_t size = bits(job.type) / 8;
  for (std::int64_t r = 0; r < job.rows; ++r) {
    std::byte* out = job.out + r * job.out_stride * size;
    for (std::int64_t c = 0; c < job.cols; ++c) {
      const double bias = job.bias != nullptr ? load_as_float(job.bias, job.type, c) : 0.0;
      store_rounded(add_to_odd(product(job, r, c), bias), out, job.type, c);
    }
  }
}

}  // namespace gemmtune::cpu_tile::portable
