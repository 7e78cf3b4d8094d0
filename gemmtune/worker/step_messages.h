// The messages of stage confirm in steps, and of the audit, as JSON: what version 2 of the protocol adds.
// workers/PROTOCOL.md defines them. Errors are those of worker/messages.h.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "gemmtune/evaluate/steps.h"

namespace gemmtune {

/// The members of a message beside its type and id.
nlohmann::json to_json_value(const HeldCandidate& held);
nlohmann::json to_json_value(const TurnRequest& request);  // without the candidate
nlohmann::json to_json_value(const Turn& turn);
nlohmann::json to_json_value(const ProductRequest& request);
nlohmann::json to_json_value(const Product& product);

/// From the whole message.
HeldCandidate held_from_json(const nlohmann::json& message);
TurnRequest turn_request_from_json(const nlohmann::json& message);
ProductRequest product_request_from_json(const nlohmann::json& message);

/// Throws as well when there are not exactly as many samples as were asked for, or one that cannot be.
Turn turn_from_json(const nlohmann::json& message, const TurnRequest& request);

/// Throws as well when there are not exactly the rows that were asked for, each of the right size.
Product product_from_json(const nlohmann::json& message, const ProductRequest& request);

}  // namespace gemmtune
