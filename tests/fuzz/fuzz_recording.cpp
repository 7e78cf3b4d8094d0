// Any bytes as a recording: either read, with a text that reads back, or refused by an Error.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "gemmtune/core/error.h"
#include "gemmtune/replay/recording.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gemmtune;
  try {
    const auto recording = parse_recording({reinterpret_cast<const char*>(data), size}, "recording.csv");
    const auto text = recording_text(recording);
    if (recording_text(parse_recording(text, "again.csv")) != text) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
