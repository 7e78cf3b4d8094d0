#include "gemmtune/report/kernel_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gemmtune/core/text.h"
#include "gemmtune/report/backend.h"
#include "gemmtune/report/csv_types.h"
#include "gemmtune/table/sheet/known_columns.h"
#include "gemmtune/table/tuned_row_reader.h"

namespace gemmtune {
namespace {

/// Reads what only gemmtune's own columns state.
class OwnColumns {
 public:
  explicit OwnColumns(const CsvDocument& document)
      : document_(document),
        outcome_(document.column("outcome")),
        reason_(document.column("reason")),
        stage_(document.column("stage")) {}

  void read(const CsvRow& line, Measurement& measurement) const {
    const auto outcome = parse_outcome(document_.text(line, outcome_));
    if (outcome) measurement.outcome = *outcome;
    measurement.reason = document_.text(line, reason_);
    measurement.screened_only = parse_stage(document_.text(line, stage_)) == Stage::screen;
  }

 private:
  const CsvDocument& document_;
  std::optional<std::size_t> outcome_;
  std::optional<std::size_t> reason_;
  std::optional<std::size_t> stage_;
};

Measurement measurement_of(const TunedRow& row, const CsvTypes& types, const ReadingOptions& options) {
  return {
      .shape = {.device = {.gfx = row.gfx, .cu_num = row.cu_num}, .problem = row.problem, .types_known = types.known},
      .backend = backend_of(row.libtype, row.kernel_name, options.families),
      .kernel = row.kernel_name,
      .time_us = row.time_us,
      .low_us = row.origin.low_us,
      .high_us = row.origin.high_us,
      .err_ratio = row.err_ratio};
}

/// Tables of AITER mark a failure only by two special times (table/profile_csv.h).
void read_marks(Measurement& measurement) {
  if (measurement.outcome != Outcome::ok) return;
  if (std::isinf(measurement.time_us)) {
    measurement.outcome = Outcome::timed_out;
    measurement.reason = "us is inf: it timed out, or its process died";
  } else if (measurement.time_us < 0) {
    measurement.outcome = Outcome::unsupported;
    measurement.reason = fmt::format("us is {}: not supported, or it failed", shortest(measurement.time_us));
  }
}

}  // namespace

bool is_kernel_csv(const CsvDocument& document) {
  const auto has = [&](std::string_view name) {
    const auto known = find_known_column(name);
    return std::ranges::find(document.header, known, find_known_column) != document.header.end();
  };
  return has("M") && has("N") && has("K") && has("us") && has("kernelName");
}

Readings read_kernel_csv(const CsvDocument& document, const ReadingOptions& options) {
  const auto types = csv_types(document, options.format);
  TunedRowReader reader(document.header, types.columns, types.defaults, document.source);
  const OwnColumns own(document);
  Readings readings{.sources = {document.source}};
  for (const auto& line : document.rows) {
    if (const auto complaint = reader.read(line.fields())) {
      readings.notes.push_back(fmt::format("{}: {}", document.where(line, complaint->cell), complaint->reason));
      continue;
    }
    auto measurement = measurement_of(reader.row(), types, options);
    measurement.where = fmt::format("{}:{}", document.source, line.line);
    own.read(line, measurement);
    measurement.batch = measurement.screened_only ? "" : batch_of_files;
    read_marks(measurement);
    readings.measurements.push_back(std::move(measurement));
  }
  return readings;
}

}  // namespace gemmtune
