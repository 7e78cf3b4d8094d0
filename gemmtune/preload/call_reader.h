// Reads what a program hands to the library: its descriptors, by the library's own functions.
#pragma once

#include <optional>

#include "gemmtune/families/cublaslt/library.h"
#include "gemmtune/preload/library_call.h"
#include "gemmtune/preload/vendor_api.h"

namespace gemmtune::preload {

/// The descriptors of a call, which belong to the program.
struct Descriptors {
  cublasLtMatmulDesc_t operation{};
  cublasLtMatrixLayout_t a{};
  cublasLtMatrixLayout_t b{};
  cublasLtMatrixLayout_t c{};
  cublasLtMatrixLayout_t d{};

  bool are_complete() const {
    return operation != nullptr && a != nullptr && b != nullptr && c != nullptr && d != nullptr;
  }
};

/// What the program accepts of an algorithm.
struct Limits {
  std::uint64_t workspace_bytes{};
  std::uint32_t reductions{~std::uint32_t{0}};  // a mask of cublasLtReductionScheme_t
  std::uint64_t arithmetic{~std::uint64_t{0}};  // a mask of cublasLtNumericalImplFlags_t
  std::uint32_t alignment{};                    // of every matrix, in bytes
};

/// Attributes that the library is too old for have their defaults.
LibraryCall read_call(const cublaslt::Library& library, const Descriptors& descriptors);

/// Empty if the program does not ask for the best algorithm of all.
std::optional<Limits> read_limits(const cublaslt::Library& library, cublasLtMatmulPreference_t preference);

}  // namespace gemmtune::preload
