// The messages of the worker protocol as JSON, one object per line. workers/PROTOCOL.md defines the protocol; this is
// its C++ implementation.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gemmtune/device/device_info.h"
#include "gemmtune/evaluate/evaluator.h"
#include "gemmtune/space/evaluation.h"
#include "gemmtune/space/policy.h"

namespace gemmtune {

/// The version that is spoken here, and the oldest one that a worker may speak.
inline constexpr int protocol_version = 2;
inline constexpr int oldest_protocol_version = 1;

nlohmann::json to_json_value(const Candidate& candidate);
nlohmann::json to_json_value(const Evaluation& evaluation);
nlohmann::json to_json_value(const EvaluationPolicy& policy);
nlohmann::json to_json_value(const DeviceInfo& device);
nlohmann::json to_json_value(const FamilySupport& support);

/// Each throws Error{protocol} that names the field: "evaluation.timing.median_us: expected a number, found a string".
/// Infinities and NaN, which JSON cannot express, are sent as null, and null is read as NaN. Texts that only people
/// read (reasons, versions, the device) are made one printable line, because they are shown on terminals and written to
/// tables. A candidate's names are left as they are: they must be found again, and worker/candidate_list.h looks at
/// them.
Candidate candidate_from_json(const nlohmann::json& value);
Evaluation evaluation_from_json(const nlohmann::json& value);
EvaluationPolicy policy_from_json(const nlohmann::json& value);
DeviceInfo device_from_json(const nlohmann::json& value);
FamilySupport support_from_json(const nlohmann::json& value);

/// Parses one line of the protocol, given without its newline. Throws Error{protocol} for anything but one JSON object
/// with a string member "type".
nlohmann::json parse_message(const std::string& line);

}  // namespace gemmtune
