// wgmma with both operands in shared memory, for the one width of tile that is compiled.
//
// This text is for editors. At run time, wgmma_text() (kernels/wgmma_text.h) takes its place, because each width names
// registers of its own.
#pragma once

using Sum = float;  // int for int8

__device__ void wgmma_ss(Sum (&sums)[BLOCK_N / 2], unsigned long long a, unsigned long long w, bool adds);
