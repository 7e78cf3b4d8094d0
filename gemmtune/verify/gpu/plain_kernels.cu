// The kernels that serve all types of elements.
#include "gemmtune/verify/gpu/memory.cuh"
#include "gemmtune/verify/gpu/multiply.cuh"
#include "gemmtune/verify/gpu/weighted_sums.cuh"
