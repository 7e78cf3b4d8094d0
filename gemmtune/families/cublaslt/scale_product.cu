// Computes C from the library's product, whose type is PRODUCT (int or float): see ProductScaler. A_SCALE and W_SCALE
// are the expressions that read an element's scales. blockIdx.x is a block's row of C, counted over all batches; each
// thread computes COLUMNS neighbours.

#include "gemmtune/kernels/output_element.cuh"

extern "C" __global__ void scale_product(const PRODUCT* product, const float* a_scale, const float* w_scale,
                                         const Out* bias, Out* c, int m, int n) {
  const long long row = blockIdx.x;
  const long long batch = row / m;
  for (int k = 0; k < COLUMNS; ++k) {
    const int column = (blockIdx.y * COLUMNS + k) * blockDim.x + threadIdx.x;
    if (column >= n) return;
    const long long i = row * n + column;
    float value = static_cast<float>(product[i]);
    value = __fmul_rn(value, __fmul_rn(A_SCALE, W_SCALE));
#if HAS_BIAS
    value = __fadd_rn(value, float_of(bias[column]));
#endif
    c[i] = rounded(value);
  }
}
