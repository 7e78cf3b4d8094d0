// Any bytes: either refused as no CSV, or linted; and of the clean copy the rules that it was made by find nothing
// more.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gemmtune/core/error.h"
#include "gemmtune/table/lint/lint_fix.h"

namespace {

using namespace gemmtune;

std::size_t never_served(const LintInput& input) {
  return lint(input, {.only = {"no-time", "shadowed-row", "device-contradiction", "no-device", "unasked-tokens",
                               "unusable-line", "repeated-shape"},
                      .ignored = {}})
      .size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr const char* name = "a4w4_tuned.csv";
  try {
    LintInput input;
    input.tables.push_back(lint_table_of(std::string(reinterpret_cast<const char*>(data), size), name));
    lint(input);
    const auto fixed = lint_fix(input.tables.front());
    LintInput again;
    again.tables.push_back(lint_table_of(fixed.text, name));
    // A damaged line stays as it is for a person to decide, and is found again.
    if (fixed.lines_left == 0 && never_served(again) > 0) std::abort();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::input) std::abort();
  }
  return 0;
}
