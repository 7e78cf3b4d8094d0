// Any bytes: what is shown of them is UTF-8 without control characters, and so is the JSON that quotes them.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "gemmtune/core/json.h"
#include "gemmtune/core/visible.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gemmtune;
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const auto& shown : {visible(text), visible_start(text, 20), json_text(nlohmann::json(text), -1)}) {
    if (visible(shown) != shown) std::abort();
    (void)nlohmann::json(shown).dump();  // throws for what is no UTF-8
  }
  return 0;
}
