// Searches a log for known errors (report/known_errors.h), and for lines that look like errors but are not known.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/report/known_errors.h"

namespace gemmtune {

struct LogLine {
  std::int64_t number{};  // 1-based
  std::string text{};
};

struct Recognised {
  const KnownError* error{};
  std::vector<LogLine> lines{};
};

struct Diagnosis {
  std::vector<Recognised> findings{};  // in the order in which they first appear in the log
  std::vector<LogLine> unknown{};      // lines that look like errors
  std::int64_t lines{};
};

Diagnosis diagnose(std::string_view log);

}  // namespace gemmtune
