// What tuned tables would really run: their kernels, found by the lookup that serves them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gemmtune/bench/contender.h"
#include "gemmtune/dispatch/index/table_index.h"
#include "gemmtune/dispatch/index/table_source.h"
#include "gemmtune/evaluate/evaluator.h"

namespace gemmtune {

/// What a worker has for a problem.
struct Offered {
  std::vector<std::string> families{};
  std::vector<Candidate> candidates{};  // each family's default choice first
};

Offered offered(Evaluator& evaluator, const Problem& problem);

/// The kernel that a lookup finds, as a contender of this label. A rule that leaves the choice to a library stands for
/// that family's default; there is none where neither a row nor a rule knows a kernel.
Contender served_contender(const TableIndex& index, const Problem& problem, const DeviceInfo& device,
                           const Offered& offered);

/// The problems of a table's rows for devices of this kind, each once. Throws Error{input} for a text that is no table
/// of its family.
std::vector<Problem> problems_of(const TableSource& source, const DeviceInfo& device);

}  // namespace gemmtune
