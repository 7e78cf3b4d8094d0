// Any line that a worker writes to its stdout: either it is a message, or an Error{protocol} says why not. What is
// accepted survives being written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "gemmtune/core/error.h"
#include "gemmtune/worker/batch.h"
#include "gemmtune/worker/candidate_list.h"
#include "gemmtune/worker/greeting.h"
#include "gemmtune/worker/messages.h"

namespace {

using namespace gemmtune;
using nlohmann::json;

template <typename Work>
auto refused_or(const Work& work) -> std::optional<decltype(work())> {
  try {
    return work();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::protocol) std::abort();
    return std::nullopt;
  }
}

template <typename Parse>
void round_trip(const Parse& parse, const json& value) {
  const auto first = refused_or([&] { return parse(value); });
  if (!first) return;
  const json text = to_json_value(*first);
  if (to_json_value(parse(text)) != text) std::abort();
}

void take(const json& message) {
  const Candidate asked[] = {{.family = "f", .name = "a"}, {.family = "f", .name = "b"}};
  CandidateBatch batch(parse_problem("4x8x16:f32:f32:f32"), asked, screen_policy());
  refused_or([&] { return batch.take(message, 1); });
  refused_or([&] { return listed_candidates(message); });
  refused_or([&] { return greeting_from_json(message); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string line(reinterpret_cast<const char*>(data), size);
  const auto message = refused_or([&] { return parse_message(line); });
  if (!message) return 0;
  take(*message);
  round_trip(candidate_from_json, message->value("candidate", json()));
  round_trip(evaluation_from_json, message->value("evaluation", json()));
  round_trip(policy_from_json, message->value("policy", json()));
  round_trip(device_from_json, message->value("device", json()));
  round_trip(support_from_json, message->value("family", json()));
  return 0;
}
