// A log read for errors that are known (report/known_errors.h), and for what looks like an error and is not.
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
  std::vector<Recognised> findings{};  // in the order in which the log first shows them
  std::vector<LogLine> unknown{};      // look like errors
  std::int64_t lines{};
};

Diagnosis diagnose(std::string_view log);

}  // namespace gemmtune
