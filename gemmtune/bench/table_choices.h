// What tuned tables choose in use: their kernels, found by the same lookup that a running process does.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gemmtune/bench/contender.h"
#include "gemmtune/dispatch/index/table_index.h"
#include "gemmtune/dispatch/index/table_source.h"
#include "gemmtune/evaluate/evaluator.h"

namespace gemmtune {

/// What a worker offers for a problem.
struct Offered {
  std::vector<std::string> families{};
  std::vector<Candidate> candidates{};  // each family's default choice first
};

Offered offered(Evaluator& evaluator, const Problem& problem);

/// The kernel that a lookup finds, as a contender with this label. A rule that leaves the choice to a library stands
/// for that family's default choice. If neither a row nor a rule knows a kernel, there is no candidate.
Contender served_contender(const TableIndex& index, const Problem& problem, const DeviceInfo& device,
                           const Offered& offered);

/// The problems of a table's rows for devices of this kind, each once. Throws Error{input} if the text is no table of
/// its family.
std::vector<Problem> problems_of(const TableSource& source, const DeviceInfo& device);

}  // namespace gemmtune
