// What the host gives to the kernel in e8m0_floats.cu. Shared by the host and the run-time compiler.
#pragma once

#include <cstdint>

namespace gemmtune {

/// Bytes that become floats.
struct E8m0Scales {
  const unsigned char* bytes{};
  float* floats{};
  std::int64_t count{};
};

struct E8m0FloatsArguments {
  E8m0Scales a{};
  E8m0Scales w{};
};

}  // namespace gemmtune
