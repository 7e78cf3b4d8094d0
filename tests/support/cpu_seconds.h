// How much work something is, where the time of day would also say how busy the machine is.
#pragma once

#include <ctime>

namespace gemmtune {

/// Seconds that the threads of this process have computed so far.
inline double cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

}  // namespace gemmtune
