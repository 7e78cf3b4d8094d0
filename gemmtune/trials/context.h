// What of a trial's circumstances decides whether it can be reused.
#pragma once

#include <string>

#include "gemmtune/trials/query.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {

/// Equal for equal contexts: canonical JSON of all of it but the device's index and memory.
std::string identity_of(const TrialContext& context);

/// All of a device, as canonical JSON.
std::string describe(const DeviceInfo& device);

/// Binds the columns of `devices` and `contexts` after their key, in the schema's order; reads them back in the view's.
void bind_device(Query& query, const DeviceInfo& device);
void bind_context(Query& query, const TrialContext& context);
DeviceInfo read_device(Query& query);
TrialContext read_context(Query& query, DeviceInfo device);

}  // namespace gemmtune
