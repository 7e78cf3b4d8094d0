// Which parts of a trial's context decide whether the trial can be reused.
#pragma once

#include <string>

#include "gemmtune/trials/query.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {

/// Canonical JSON of the context without the index and the memory of the device. Equal contexts have equal identities.
std::string identity_of(const TrialContext& context);

/// Canonical JSON of a whole device description.
std::string describe(const DeviceInfo& device);

/// The bind functions bind the columns of `devices` and `contexts` after the key, in the schema's order. The read
/// functions read them in the order of the view `trial_details`.
void bind_device(Query& query, const DeviceInfo& device);
void bind_context(Query& query, const TrialContext& context);
DeviceInfo read_device(Query& query);
TrialContext read_context(Query& query, DeviceInfo device);

}  // namespace gemmtune
