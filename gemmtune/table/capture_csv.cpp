#include "gemmtune/table/capture_csv.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

constexpr std::int64_t most_calls = std::int64_t{1} << 62;  // the sum of two still fits

/// Reads the cells of one row, by column. The first unusable cell gives the reason.
class RowReader {
 public:
  RowReader(const CsvDocument& document, const CsvRow& row) : document_(document), row_(row) {}

  CapturedProblem read() {
    CapturedProblem captured{.gfx = std::string(text("gfx")), .cu_num = whole("cu_num"), .problem = problem()};
    if (const auto match = parse_match_kind(text("match")))
      captured.match = *match;
    else
      wrong("match", "exact, padded_fine, padded_coarse, nearest or fallback");
    captured.calls = whole("calls");
    captured.tuned_m = whole("tuned_m");
    captured.expected_us = time("expected_us");
    check_size("M", captured.problem.m);
    check_size("N", captured.problem.n);
    check_size("K", captured.problem.k);
    if (row_.cells.size() > document_.header.size() && complaint_.empty())
      complaint_ = fmt::format("{}: more cells than columns", document_.where(row_, document_.header.size()));
    return captured;
  }

  /// Why read() failed.
  const std::string& complaint() const { return complaint_; }

 private:
  std::string_view text(std::string_view name) const { return document_.text(row_, document_.column(name)); }

  void wrong(std::string_view name, std::string_view expected) {
    if (!complaint_.empty()) return;
    complaint_ = fmt::format("{}: {}: found '{}', expected {}", document_.where(row_, document_.column(name)), name,
                             text(name), expected);
  }

  std::int64_t whole(std::string_view name) {
    const auto value = parse_int(text(name));
    if (value && *value >= 0 && *value <= most_calls) return *value;
    wrong(name, "a whole number from 0");
    return 0;
  }

  /// The columns that are there for people must agree with the problem. If they do not, somebody edited only one of
  /// them.
  void check_size(std::string_view name, std::int64_t size) {
    if (parse_int(text(name)) != size) wrong(name, fmt::format("{} as in the problem", size));
  }

  double time(std::string_view name) {
    const auto value = parse_double(text(name));
    if (value && *value >= 0 && std::isfinite(*value)) return *value;
    wrong(name, "a time in microseconds, or 0");
    return 0;
  }

  Problem problem() {
    try {
      return parse_problem(text("problem"));
    } catch (const Error& error) {
      wrong("problem", error.what());
      return {};
    }
  }

  const CsvDocument& document_;
  const CsvRow& row_;
  std::string complaint_;
};

using Key = std::tuple<std::string, std::int64_t, Problem, MatchKind>;

Key key(const CapturedProblem& row) { return {row.gfx, row.cu_num, row.problem, row.match}; }

void add(CapturedProblem& into, const CapturedProblem& more) {
  into.calls += std::min(more.calls, most_calls - into.calls);
  if (more.expected_us <= 0) return;
  into.expected_us = more.expected_us;
  into.tuned_m = more.tuned_m;
}

std::string line(const CapturedProblem& row) {
  const auto& problem = row.problem;
  return csv_line({row.gfx, std::to_string(row.cu_num), std::to_string(problem.m), std::to_string(problem.n),
                   std::to_string(problem.k), to_string(problem), std::string(to_string(row.match)),
                   std::to_string(row.calls), std::to_string(row.tuned_m), shortest(row.expected_us)});
}

bool is_empty_or_absent(const std::filesystem::path& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return error == std::errc::no_such_file_or_directory || (!error && size == 0);
}

}  // namespace

const std::vector<std::string>& capture_columns() {
  // Never destroyed: captures are written while the process exits, when other statics may be gone.
  static const auto* const names = new std::vector<std::string>{"gfx",     "cu_num", "M",     "N",       "K",
                                                                "problem", "match",  "calls", "tuned_m", "expected_us"};
  return *names;
}

bool is_capture(const CsvDocument& document) { return document.header == capture_columns(); }

CaptureFile read_capture(const CsvDocument& document) {
  if (!is_capture(document))
    fail(ErrorCode::input, "{}:1:1: found columns {}, expected those of a capture: {}", document.source,
         join(document.header, ","), join(capture_columns(), ","));
  CaptureFile file;
  for (const auto& row : document.rows) {
    RowReader reader(document, row);
    auto captured = reader.read();
    if (reader.complaint().empty()) {
      file.rows.push_back(std::move(captured));
    } else {
      file.unusable_lines.push_back(row.raw);
      file.complaints.push_back(reader.complaint());
    }
  }
  return file;
}

CaptureFile read_capture(const std::filesystem::path& path) {
  if (is_empty_or_absent(path)) return {};
  return read_capture(read_csv(path));
}

CaptureFile merged(CaptureFile file, std::span<const CapturedProblem> more) {
  std::map<Key, CapturedProblem> rows;
  const auto add_row = [&](const CapturedProblem& row) {
    const auto [found, is_new] = rows.try_emplace(key(row), row);
    if (!is_new) add(found->second, row);
  };
  for (const auto& row : file.rows) add_row(row);
  for (const auto& row : more) add_row(row);
  file.rows.clear();
  for (auto& [_, row] : rows) file.rows.push_back(std::move(row));
  return file;
}

std::string capture_text(const CaptureFile& file) {
  auto text = csv_line(capture_columns()) + '\n';
  for (const auto& row : file.rows) text += line(row) + '\n';
  for (const auto& raw : file.unusable_lines) text += raw + '\n';
  return text;
}

}  // namespace gemmtune
