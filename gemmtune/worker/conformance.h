// Does a worker keep to the protocol? For authors of workers: `gemmtune worker-check CMD`.
#pragma once

#include <string>
#include <vector>

namespace gemmtune {

struct ConformanceCheck {
  std::string name{};
  bool passed{};
  std::string detail{};  // what was found and what was expected, when it did not pass
};

/// Runs every check against fresh workers of this command; `problem` is one the worker should be able to tune. A check
/// that needs what an earlier one did not get fails and says so. Throws Error{io} when the command cannot be started at
/// all.
std::vector<ConformanceCheck> check_worker(const std::vector<std::string>& command, const std::string& problem);

}  // namespace gemmtune
