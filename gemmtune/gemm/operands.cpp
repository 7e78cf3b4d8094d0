#include "gemmtune/gemm/operands.h"

namespace gemmtune {
namespace {

std::int64_t scale_bytes(Scaling scaling, std::int64_t rows, std::int64_t k) {
  return scale_grid(scaling, rows, k).bytes();
}

}  // namespace

OperandBytes operand_sizes(const Problem& p) {
  const std::int64_t c = stored_c(p).bytes();
  return {.a = stored_a(p).bytes(),
          .a_scale = p.batch * scale_bytes(p.a.scaling, p.m, p.k),
          .w = stored_w(p).bytes(),
          .w_scale = p.batch * scale_bytes(p.w.scaling, p.n, p.k),
          .bias = p.epilogue.bias ? storage_bytes(p.out, p.n) : 0,
          .residual = p.epilogue.residual ? c : 0,
          .c = c};
}

}  // namespace gemmtune
