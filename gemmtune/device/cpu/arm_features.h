// What a 64-bit Arm CPU can do, as the kernel tells each process in its auxiliary vector. /proc/cpuinfo tells the same
// on a real CPU, but under an emulator it is that of the host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gemmtune {

/// The features that matter to arithmetic, spelled as in /proc/cpuinfo. `auxv` has the bytes of /proc/self/auxv of a
/// 64-bit process: pairs of a key and a value, 64 bits each. Bits are those of Linux's asm/hwcap.h.
std::vector<std::string> arm_features(std::string_view auxv);

}  // namespace gemmtune
