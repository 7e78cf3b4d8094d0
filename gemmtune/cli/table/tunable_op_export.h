// Which rows of a table PyTorch's TunableOp can run, and under which solutions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gemmtune/cli/table/export_rows.h"
#include "gemmtune/exchange/tunable_op_file.h"
#include "gemmtune/families/family.h"

namespace gemmtune {

struct TunableOpTarget {
  std::vector<Param> validators{};
  std::int64_t workspace_mib{};  // what PyTorch gives cuBLASLt
  bool trusts_ids{};             // numbers of AMD's kernels are taken from rows that do not say the library's version
};

struct TunableOpEntries {
  std::vector<TunableOpEntry> entries{};
  std::vector<TunedRow> rows{};  // those that the entries are of
  std::size_t over_workspace{};  // entries that are `Default` since their kernel needs more workspace
};

/// One entry for each row that PyTorch can run.
TunableOpEntries tunable_op_entries(const std::vector<TunedRow>& rows, const TunableOpTarget& target,
                                    const std::vector<std::unique_ptr<KernelFamily>>& families, LeftOutRows& left_out);

}  // namespace gemmtune
