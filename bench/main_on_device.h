// main() of the benchmarks that run on one device.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <exception>

namespace gemmtune {

/// `run` on the device that the command line names, or on the first NVIDIA GPU. The exit code.
inline int main_on_device(int argc, char** argv, int (*run)(const char* device)) {
  try {
    return run(argc > 1 ? argv[1] : "cuda:0");
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}

}  // namespace gemmtune
