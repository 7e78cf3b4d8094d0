// The worker protocol's messages as JSON, one object a line. workers/PROTOCOL.md is the contract; this is its C++ side.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gemmtune/device/device_info.h"
#include "gemmtune/evaluate/evaluator.h"
#include "gemmtune/space/evaluation.h"
#include "gemmtune/space/policy.h"

namespace gemmtune {

inline constexpr int protocol_version = 1;

nlohmann::json to_json_value(const Candidate& candidate);
nlohmann::json to_json_value(const Evaluation& evaluation);
nlohmann::json to_json_value(const EvaluationPolicy& policy);
nlohmann::json to_json_value(const DeviceInfo& device);
nlohmann::json to_json_value(const FamilySupport& support);

/// Each throws Error{protocol} that names the field: "evaluation.timing.median_us: expected a number, found a string".
/// Numbers that JSON lacks (inf, nan) are null on the way and not a number here.
Candidate candidate_from_json(const nlohmann::json& value);
Evaluation evaluation_from_json(const nlohmann::json& value);
EvaluationPolicy policy_from_json(const nlohmann::json& value);
DeviceInfo device_from_json(const nlohmann::json& value);
FamilySupport support_from_json(const nlohmann::json& value);

/// One line of the protocol, without its newline, parsed. Throws Error{protocol} for anything that is not one JSON
/// object with a string member "type".
nlohmann::json parse_message(const std::string& line);

}  // namespace gemmtune
