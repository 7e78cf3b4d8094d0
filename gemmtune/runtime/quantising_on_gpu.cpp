// The part of Quantising that launches kernels.
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/kernels/group_quantise.h"
#include "gemmtune/runtime/launch_stream.h"
#include "gemmtune/runtime/quantising.h"

namespace gemmtune {
namespace {

GroupQuantiseSpec spec_of(const Quantisation& wanted) {
  return {.from = wanted.from,
          .to = wanted.to,
          .rows = wanted.rows,
          .k = wanted.k,
          .leading_dimension = wanted.leading_dimension};
}

}  // namespace

Quantising::Quantising(std::shared_ptr<const ServingDevice> device) : device_(std::move(device)) {}

/// A forked child cannot unload the kernels.
Quantising::~Quantising() {
  if (device_->is_forked()) {
    static_cast<void>(quantisers_.release());
  } else {
    const ServingDevice::Entered entered(*device_);
    quantisers_.reset();
  }
}

std::shared_ptr<const GroupQuantiser> Quantising::quantiser_for(const Quantisation& wanted) {
  const std::lock_guard lock(mutex_);
  auto& known = (*quantisers_)[{wanted.from, wanted.to}];
  if (!known) known = std::make_shared<const GroupQuantiser>(spec_of(wanted), device_->info().arch);
  return known;
}

void Quantising::run_on_gpu(const Quantisation& wanted, const QuantisationMemory& memory, void* native_stream) {
  const ServingDevice::Entered entered(*device_);
  LaunchStream stream(device_->info().kind, native_stream);
  quantiser_for(wanted)->launch(spec_of(wanted), {memory.from, memory.values, memory.scales}, stream);
  stream.synchronize();  // throws what the launch reported; waits for nothing
}

}  // namespace gemmtune
