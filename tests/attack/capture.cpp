// Captures calls into a file without end, and says after each write how many are safe. attack/kill_capture.py kills it.
//
//   attack_capture FILE CALLS_PER_WRITE
#include "gemmtune/dispatch/capture/capture.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argument_count, char** arguments) {
  using namespace gemmtune;
  if (argument_count != 3) return std::fputs("usage: attack_capture FILE CALLS_PER_WRITE\n", stderr), 2;
  Capture capture({.path = arguments[1], .interval = std::chrono::milliseconds(0)});
  const auto here = capture.device("cpu", 2);
  const long calls = std::atol(arguments[2]);
  for (long safe = calls;; safe += calls) {
    for (long i = 0; i < calls; ++i) capture.record(here, {.m = 1 + i % 50, .n = 64, .k = 128}, {});
    if (!capture.flush()) return 1;
    const auto line = std::to_string(safe) + "\n";
    if (::write(1, line.data(), line.size()) < 0) return 1;
  }
}
