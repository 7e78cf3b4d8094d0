// The type of element that is compiled, CODEC, and how elements lie in what is stored.
#pragma once

#include "gemmtune/gemm/element_codecs.h"

using Codec = gemmtune::CODEC;
using Stored = Codec::Stored;

template <typename T>
constexpr int elements_in = 1;  // a Stored holds
template <>
constexpr int elements_in<gemmtune::E2M1Codec> = 2;
constexpr int unit = elements_in<Codec>;
