// Checks whether a worker follows the protocol. For authors of workers: `gemmtune worker-check CMD`.
#pragma once

#include <string>
#include <vector>

namespace gemmtune {

struct ConformanceCheck {
  std::string name{};
  bool passed{};
  std::string detail{};  // what was found and what was expected, when it did not pass
};

/// Runs every check on workers started with this command. `problem` is a problem that the worker should be able to
/// tune. A check that depends on the result of a failed check fails as well, and says so. After `timeout_s` seconds the
/// worker is ended, and the checks that are left fail. Throws Error{io} when the command cannot be started at all.
std::vector<ConformanceCheck> check_worker(const std::vector<std::string>& command, const std::string& problem,
                                           double timeout_s = 1800);

}  // namespace gemmtune
