// Any bytes as a log: every line is counted, and what is quoted of it is a part of it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "gemmtune/report/diagnosis.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gemmtune;
  const std::string_view log(reinterpret_cast<const char*>(data), size);
  const auto diagnosis = diagnose(log);
  const auto is_there = [&](const LogLine& line) { return line.number >= 1 && line.number <= diagnosis.lines; };
  for (const auto& finding : diagnosis.findings)
    if (finding.lines.empty() || !std::ranges::all_of(finding.lines, is_there)) std::abort();
  if (!std::ranges::all_of(diagnosis.unknown, is_there)) std::abort();
  return 0;
}
