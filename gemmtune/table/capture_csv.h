// The file that a capture writes (dispatch/capture/capture.h): which problems were looked up, how often, and how each
// was matched. It is also a shape list: its column `problem` states everything, and `calls` is the weight.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "gemmtune/core/csv.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/table/match_kind.h"

namespace gemmtune {

/// One problem on one kind of device, matched in one way. If a table was tuned in between, there is a second row.
struct CapturedProblem {
  std::string gfx{};
  std::int64_t cu_num{};
  Problem problem{};
  MatchKind match{MatchKind::fallback};
  std::int64_t calls{};
  std::int64_t tuned_m{};  // the M of the row that was used; 0 for a fallback
  double expected_us{};    // that row's time, for its own M; 0 if there was no row

  bool operator==(const CapturedProblem&) const = default;
};

struct CaptureFile {
  std::vector<CapturedProblem> rows{};
  std::vector<std::string> unusable_lines{};  // kept unchanged, and written back after the rows
  std::vector<std::string> complaints{};      // file:line:column and what is wrong, one for each unusable line

  bool operator==(const CaptureFile&) const = default;
};

/// The columns of such a file: gfx,cu_num,M,N,K,problem,match,calls,tuned_m,expected_us
const std::vector<std::string>& capture_columns();

bool is_capture(const CsvDocument& document);

/// Throws Error{input} if the columns are not a capture's. A file that does not exist or is empty has no rows.
CaptureFile read_capture(const std::filesystem::path& path);
CaptureFile read_capture(const CsvDocument& document);

/// Has one row for each device, problem and match, in that order. Calls are added. The time and its M are those of the
/// later row that has a time. No count therefore depends on the order in which processes add theirs.
CaptureFile merged(CaptureFile file, std::span<const CapturedProblem> more);

std::string capture_text(const CaptureFile& file);

}  // namespace gemmtune
