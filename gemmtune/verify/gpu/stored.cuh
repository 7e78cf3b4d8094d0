// The element type that the kernels are compiled for (the macro CODEC), and how its elements are stored.
#pragma once

#include "gemmtune/gemm/element_codecs.h"

using Codec = gemmtune::CODEC;
using Stored = Codec::Stored;

template <typename T>
constexpr int elements_in = 1;  // in one Stored
template <>
constexpr int elements_in<gemmtune::E2M1Codec> = 2;
constexpr int unit = elements_in<Codec>;
