// The result of trying a candidate. A failure is data: most of a search space fails in some way, and each way has a
// name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gemmtune {

enum class Outcome : std::uint8_t {
  ok,
  unsupported,     // the family or the library says that it cannot run it
  compile_failed,  // prepare failed
  launch_failed,   // the device or the library reported an error while running it
  wrong_result,    // ran, and the output is not right
  timed_out,       // no answer before the deadline; its worker was killed
  crashed,         // its worker died
};

std::string_view to_string(Outcome outcome);
std::optional<Outcome> parse_outcome(std::string_view text);

}  // namespace gemmtune
