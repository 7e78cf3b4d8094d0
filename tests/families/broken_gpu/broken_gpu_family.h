// A kernel family for tests only, on GPUs: bf16 GEMMs that are correct except for one planted fault. The faults of the
// broken family for CPUs (tests/families/broken) are those of host code.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/families/family.h"

namespace gemmtune::broken_gpu {

/// The candidate with one of the faults "right", "unwritten_tile", "k_tail", "writes_after_end", "hang",
/// "illegal_address".
Candidate candidate(std::string_view fault);

/// Throws Error{unsupported} when there is no such fault.
KernelSource source(std::string_view fault, const std::string& arch);

std::unique_ptr<KernelFamily> make_family();

}  // namespace gemmtune::broken_gpu
