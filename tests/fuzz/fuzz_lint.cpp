// Any bytes: either they are refused as no CSV, or linted. In the clean copy, the rules by which it was made find
// nothing more. Damaged lines stay in it for a person to decide, and only where there are some, lines are unusable.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gemmtune/core/error.h"
#include "gemmtune/table/lint/lint_fix.h"

namespace {

using namespace gemmtune;

std::size_t never_served(const LintInput& input) {
  return lint(input, {.only = {"no-time", "shadowed-row", "device-contradiction", "no-device", "unasked-tokens",
                               "repeated-shape"},
                      .ignored = {}})
      .size();
}

bool has_unusable_lines(const LintInput& input) {
  return !lint(input, {.only = {"unusable-line"}, .ignored = {}}).empty();
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
    if (never_served(again) > 0) std::abort();
    if (fixed.lines_left == 0 && has_unusable_lines(again)) std::abort();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::input) std::abort();
  }
  return 0;
}
