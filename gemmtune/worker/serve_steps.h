// The worker's side of what version 2 of the protocol adds: stage confirm in steps, and the audit.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "gemmtune/evaluate/steps.h"

namespace gemmtune {

using SendMessage = std::function<void(const nlohmann::json& message)>;

/// Answers a request of one of these types. False for a request of another type, which is not answered. Lets DeviceLost
/// through once it is reported, and every error of a bad request.
bool answer_step(const nlohmann::json& request, Steps& steps, const SendMessage& send);

}  // namespace gemmtune
