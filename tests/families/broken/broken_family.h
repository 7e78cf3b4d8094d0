// A kernel family for tests only. Each candidate computes correctly except for one planted fault, so that tests can
// show that everything that must catch faults (verification, guards, workers, the supervisor) does.
//
// Candidates are named for their fault: "one_tile", "segfault". planted_faults() lists them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/families/family.h"

namespace gemmtune::broken {

/// The harm that a fault does.
enum class Harm {
  none,     // the candidate is right
  refused,  // cannot be prepared or packed, or reports a failure itself
  wrong,    // ends normally, with wrong results
  memory,   // writes where it must not
  process,  // ends, hangs or starves the process that runs it
};

struct PlantedFault {
  std::string_view name{};
  Harm harm{Harm::none};
  std::string_view what{};
};

/// All faults; "right" first.
const std::vector<PlantedFault>& planted_faults();

/// The candidate with this fault.
Candidate candidate(std::string_view fault);

/// A family that lists these faults as its candidates for every problem on a CPU, and prepares any fault by name.
std::unique_ptr<KernelFamily> make_family(std::vector<std::string> faults);

/// A family that lists all faults, including those that end the process.
std::unique_ptr<KernelFamily> make_family();

}  // namespace gemmtune::broken
