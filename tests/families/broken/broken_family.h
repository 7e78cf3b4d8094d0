// A kernel family for tests only. Each candidate multiplies rightly but for one planted fault, so that everything that
// must catch faults (verification, guards, workers, the supervisor) can be shown to.
//
// Candidates are named for their fault: "one_tile", "segfault". planted_faults() lists them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/families/family.h"

namespace gemmtune::broken {

/// What a fault does to whoever runs it.
enum class Harm {
  none,     // the candidate is right
  refused,  // cannot be prepared or packed, or says itself that it failed
  wrong,    // right-looking, wrong results
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

/// A candidate of this family by its fault's name.
Candidate candidate(std::string_view fault);

/// Lists these faults as its candidates for every problem on a CPU, and prepares any fault by name.
std::unique_ptr<KernelFamily> make_family(std::vector<std::string> faults);

/// Lists all of them, those that end the process included.
std::unique_ptr<KernelFamily> make_family();

}  // namespace gemmtune::broken
