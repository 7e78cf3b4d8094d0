#include "gemmtune/gemm/operands.h"

namespace gemmtune {
namespace {

std::int64_t scale_bytes(Scaling scaling, std::int64_t rows, std::int64_t k) {
  const auto grid = scale_grid(scaling, rows, k);
  return storage_bytes(grid.type, grid.count());
}

}  // namespace

OperandBytes operand_sizes(const Problem& p) {
  return {.a = p.batch * p.m * storage_bytes(p.a.type, p.k),
          .a_scale = p.batch * scale_bytes(p.a.scaling, p.m, p.k),
          .w = p.batch * p.n * storage_bytes(p.w.type, p.k),
          .w_scale = p.batch * scale_bytes(p.w.scaling, p.n, p.k),
          .bias = p.bias ? storage_bytes(p.out, p.n) : 0,
          .c = p.batch * p.m * storage_bytes(p.out, p.n)};
}

}  // namespace gemmtune
