// A kernel of a vendor's library in the library's own numbers, as programs that call the library name it in their
// files. A candidate's name (space/candidate.h) says the same in words.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "gemmtune/space/candidate.h"

namespace gemmtune {

struct LibraryKernel {
  std::string library{};          // "cublaslt"
  std::vector<Param> settings{};  // all of them, in the order of the library's interface: id, tile, stages, …
  bool fast_accumulation{};       // an attribute of the call, not of the kernel
  std::int64_t workspace_mib{};   // the workspace that the kernel may use
  std::int64_t version{};         // the library's, as it states it: 130100

  auto operator<=>(const LibraryKernel&) const = default;
};

}  // namespace gemmtune
