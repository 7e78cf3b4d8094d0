// The functions that a program would have called without this library.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/core/shared_library.h"

namespace gemmtune::preload {

inline const std::vector<std::string>& cublaslt_names() {
  static const auto* const names = new std::vector<std::string>{"libcublasLt.so.13", "libcublasLt.so.12"};
  return *names;
}

inline const std::vector<std::string>& cublas_names() {
  static const auto* const names = new std::vector<std::string>{"libcublas.so.13", "libcublas.so.12"};
  return *names;
}

using AnyFunction = void (*)();

/// The next definition after ours in the order in which the loader searches. A library that was opened for a part of
/// the program only (RTLD_LOCAL, as Python opens extensions) is not in that order, and is found by its name. Null if it
/// is not loaded.
AnyFunction find_original(const char* function, const std::vector<std::string>& libraries) noexcept;

template <typename Function>
Function* original(const char* function, const std::vector<std::string>& libraries) noexcept {
  return reinterpret_cast<Function*>(find_original(function, libraries));
}

/// The copy of cuBLASLt that the originals are from. Throws Error{unsupported} if none is loaded.
SharedLibrary loaded_cublaslt();

}  // namespace gemmtune::preload
