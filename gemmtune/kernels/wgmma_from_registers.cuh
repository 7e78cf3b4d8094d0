// wgmma with its first operand in registers, for the one width of tile that is compiled.
//
// This text is for editors. At run time, wgmma_from_registers_text() (kernels/wgmma_text.h) takes its place, because
// each width names registers of its own.
#pragma once

__device__ void wgmma_rs(float (&sums)[SMALL_M_TILE_M / 2], const unsigned (&a)[4], unsigned long long b, bool adds);
