// The kernels that do not depend on the element type.
#include "gemmtune/verify/gpu/memory.cuh"
#include "gemmtune/verify/gpu/multiply.cuh"
