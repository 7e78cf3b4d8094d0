#include "gemmtune/report/bench_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/report/csv_types.h"
#include "gemmtune/table/sheet/known_columns.h"
#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {
namespace {

constexpr std::string_view tflops_suffix = "_tflops";
constexpr std::string_view time_suffix = "_us";

/// Of captures, and of what a table says that a kernel takes: not measured.
constexpr std::string_view expected = "expected";

struct BackendColumns {
  std::string backend{};
  std::optional<std::size_t> tflops{};
  std::optional<std::size_t> time_us{};
};

BackendColumns& columns_of(std::vector<BackendColumns>& all, std::string backend) {
  const auto at = std::ranges::find(all, backend, &BackendColumns::backend);
  if (at != all.end()) return *at;
  all.push_back({.backend = std::move(backend)});
  return all.back();
}

std::vector<BackendColumns> backends_of(const CsvDocument& document) {
  std::vector<BackendColumns> backends;
  for (std::size_t i = 0; i < document.header.size(); ++i) {
    auto name = to_lower(document.header[i]);
    const auto suffix = name.ends_with(tflops_suffix) ? tflops_suffix : time_suffix;
    if (!name.ends_with(suffix) || name.size() == suffix.size()) continue;
    const auto backend = name.substr(0, name.size() - suffix.size());
    if (backend == expected) continue;
    auto& columns = columns_of(backends, backend);
    (suffix == time_suffix ? columns.time_us : columns.tflops) = i;
  }
  return backends;
}

class BenchReader {
 public:
  BenchReader(const CsvDocument& document, const ReadingOptions& options)
      : document_(document),
        types_(csv_types(document, options.format)),
        backends_(backends_of(document)),
        is_own_(document.column("problem") && document.column("winner")) {}

  Readings read() {
    readings_.sources = {document_.source};
    const auto needed = needed_cells(document_.header);
    for (const auto& line : document_.rows)
      if (line.cells.size() < needed)
        note(line, line.cells.size(), too_few_cells(line.cells.size(), needed));
      else if (const auto shape = shape_of(line))
        add_line(line, *shape);
    return std::move(readings_);
  }

 private:
  std::optional<ShapeId> shape_of(const CsvRow& line) {
    const bool is_said = !document_.text(line, document_.column("problem")).empty();
    const auto problem = is_said ? problem_said(line) : problem_by_sizes(line);
    if (!problem) return std::nullopt;
    return ShapeId{.device = {.gfx = std::string(document_.text(line, document_.column("gfx"))),
                              .cu_num = parse_int(document_.text(line, document_.column("cu_num"))).value_or(0)},
                   .problem = *problem,
                   .types_known = is_said || types_.known};
  }

  std::optional<Problem> problem_said(const CsvRow& line) {
    const auto column = document_.column("problem");
    try {
      return parse_problem(document_.text(line, column));
    } catch (const Error& error) {
      note(line, column, error.what());
      return std::nullopt;
    }
  }

  std::optional<Problem> problem_by_sizes(const CsvRow& line) {
    const auto m = size_at(line, "M");
    const auto n = size_at(line, "N");
    const auto k = size_at(line, "K");
    const auto batch = document_.column("B") ? size_at(line, "B") : 1;
    if (!m || !n || !k || !batch) return std::nullopt;
    auto problem = types_.defaults;
    problem.m = *m;
    problem.n = *n;
    problem.k = *k;
    problem.batch = *batch;
    return problem;
  }

  std::optional<std::int64_t> size_at(const CsvRow& line, std::string_view name) {
    const auto column = document_.column(name);
    const auto text = document_.text(line, column);
    const auto value = parse_int(canonical_value(CellKind::size, text));
    if (value && *value > 0) return value;
    note(line, column, fmt::format("{}: found '{}', expected a whole number above 0", name, text));
    return std::nullopt;
  }

  void add_line(const CsvRow& line, const ShapeId& shape) {
    for (const auto& backend : backends_) {
      const auto time_us = time_of(line, shape, backend);
      if (!time_us) continue;
      const auto where = fmt::format("{}:{}", document_.source, line.line);
      readings_.measurements.push_back({.shape = shape,
                                        .backend = backend.backend,
                                        .outcome = *time_us > 0 ? Outcome::ok : Outcome::unsupported,
                                        .reason = *time_us > 0 ? "" : "its time is not above 0",
                                        .time_us = *time_us,
                                        .batch = is_own_ ? where : batch_of_files,
                                        .where = where});
    }
  }

  std::optional<double> time_of(const CsvRow& line, const ShapeId& shape, const BackendColumns& backend) {
    if (const auto time_us = number_at(line, backend.time_us)) return time_us;
    const auto rate = number_at(line, backend.tflops);
    if (!rate) return std::nullopt;
    return *rate > 0 ? flops(shape.problem) / *rate / 1e6 : -1;
  }

  std::optional<double> number_at(const CsvRow& line, std::optional<std::size_t> column) {
    const auto text = document_.text(line, column);
    if (says_nothing(text)) return std::nullopt;
    const auto number = parse_double(text);
    if (!number) note(line, column, fmt::format("found '{}', expected a number", text));
    if (number && !std::isfinite(*number)) return -1;
    return number;
  }

  void note(const CsvRow& line, std::optional<std::size_t> column, std::string_view what) {
    readings_.notes.push_back(fmt::format("{}: {}", document_.where(line, column), what));
  }

  const CsvDocument& document_;
  CsvTypes types_;
  std::vector<BackendColumns> backends_;
  bool is_own_;  // of gemmtune, which times the kernels of a line in turns
  Readings readings_;
};

}  // namespace

bool is_bench_csv(const CsvDocument& document) {
  const auto has = [&](std::string_view name) { return document.column(name).has_value(); };
  return has("M") && has("N") && has("K") && !backends_of(document).empty();
}

Readings read_bench_csv(const CsvDocument& document, const ReadingOptions& options) {
  return BenchReader(document, options).read();
}

}  // namespace gemmtune
