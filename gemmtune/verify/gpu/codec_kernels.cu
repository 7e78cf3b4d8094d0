// The kernels that read or write stored elements, for one type of them: CODEC.
#include "gemmtune/verify/gpu/decode.cuh"
#include "gemmtune/verify/gpu/draw.cuh"
#include "gemmtune/verify/gpu/judge.cuh"
#include "gemmtune/verify/gpu/sum_blocks.cuh"
