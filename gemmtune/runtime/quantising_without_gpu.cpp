// The part of Quantising that launches kernels, for builds without GPUs.
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/runtime/quantising.h"

namespace gemmtune {

class GroupQuantiser {};

Quantising::Quantising(std::shared_ptr<const ServingDevice> device) : device_(std::move(device)) {}
Quantising::~Quantising() = default;

void Quantising::run_on_gpu(const Quantisation&, const QuantisationMemory&, void*) {
  fail(ErrorCode::unsupported, "this build has no kernels for GPUs");
}

}  // namespace gemmtune
