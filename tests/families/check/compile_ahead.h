// Many kernels compiled at once, for tests that run many of them on a GPU. One takes a second to compile, and a
// process compiles one after the other.
#pragma once

#include <span>
#include <string_view>

#include "gemmtune/families/family.h"

namespace gemmtune::check {

/// Compiles what the candidates need for the problem into the cache of kernels, in as many processes as there are
/// cores. What does not compile is left for the test, which says why.
void compile_ahead(const KernelFamily& family, std::string_view problem, const DeviceInfo& device,
                   std::span<const Candidate> candidates);

}  // namespace gemmtune::check
