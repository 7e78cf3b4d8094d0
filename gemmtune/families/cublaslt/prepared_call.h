// One candidate of this family made ready.
#pragma once

#include <memory>

#include "gemmtune/families/cublaslt/kernel_name.h"
#include "gemmtune/families/cublaslt/library.h"
#include "gemmtune/families/family.h"

namespace gemmtune::cublaslt {

/// Throws Error{unsupported} when the library does not take the name's settings for this problem; the text says so when
/// the name comes from another version of it.
std::unique_ptr<PreparedGemm> prepare_call(std::shared_ptr<const Session> session, const Problem& problem,
                                           const KernelName& name, const DeviceInfo& device);

}  // namespace gemmtune::cublaslt
