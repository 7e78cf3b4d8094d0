// The kernels that read or write stored elements. Compiled once for each element type, CODEC.
#include "gemmtune/verify/gpu/decode.cuh"
#include "gemmtune/verify/gpu/draw.cuh"
#include "gemmtune/verify/gpu/judge.cuh"
