// A prepared candidate of the cublaslt family.
#pragma once

#include <memory>

#include "gemmtune/families/cublaslt/kernel_name.h"
#include "gemmtune/families/cublaslt/library.h"
#include "gemmtune/families/family.h"

namespace gemmtune::cublaslt {

/// Throws Error{unsupported} if the library does not accept the name's settings for this problem. The message says so
/// if the name is from another version of the library.
std::unique_ptr<PreparedGemm> prepare_call(std::shared_ptr<const Session> session, const Problem& problem,
                                           const KernelName& name, const DeviceInfo& device);

}  // namespace gemmtune::cublaslt
