// A prepared candidate of the openblas family.
#pragma once

#include <memory>
#include <string>

#include "gemmtune/families/family.h"

namespace gemmtune::openblas {

/// How the weights are multiplied.
enum class Call : std::uint8_t {
  as_stored,   // sgemm on the weights as they are
  transposed,  // sgemm on weights that were transposed in advance
  gemv,        // sgemv for each row of A
};

struct Choice {
  Problem problem{};
  Call call{};
  int threads{1};
};

std::unique_ptr<PreparedGemm> prepare_sgemm(const Choice& choice);

/// The version of the library: "openblas 0.3.21 (Zen, pthreads)".
std::string library_version();

/// Whether this build of the library was made with threads.
bool library_has_threads();

}  // namespace gemmtune::openblas
