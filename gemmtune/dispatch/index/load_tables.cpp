#include "gemmtune/dispatch/index/load_tables.h"

#include <fmt/format.h>

#include "gemmtune/core/csv_scanner.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"
#include "gemmtune/table/dialect.h"
#include "gemmtune/table/fp8_type.h"
#include "gemmtune/table/profile_csv.h"
#include "gemmtune/table/tuned_row_reader.h"

namespace gemmtune {
namespace {

std::vector<std::string> names_in(CsvScanner& scanner) {
  std::vector<std::string> names;
  if (scanner.next())
    for (const auto& field : scanner.fields()) names.emplace_back(field.text);
  return names;
}

SkippedLine skipped_line(const CsvScanner& scanner, const LineComplaint& complaint) {
  const auto column = scanner.fields()[complaint.cell].column;
  return {scanner.line(), fmt::format("{}:{}:{}: {}", scanner.source(), scanner.line(), column, complaint.reason)};
}

/// Rows that say neither their device nor their type are for the device that is there.
Problem defaults_on(const TableFamily& family, std::string_view live_gfx) {
  auto problem = defaults_of(family);
  if (family.format == Format::a8w8_bpreshuffle) problem.a.type = problem.w.type = fp8_of(gfx_of_cu_num(0, live_gfx));
  return problem;
}

/// The source's family, unless the table states its problems itself, whatever it was named as.
TableFamily family_of(std::string_view text, const TableSource& source) {
  CsvScanner scanner(text, source.path.string());
  auto family = source.family;
  family.states_problems = family.states_problems || states_problems(columns_from_header(names_in(scanner)));
  return family;
}

std::string note_on(const std::filesystem::path& path, const std::vector<SkippedLine>& skipped) {
  return fmt::format("{}: {} lines cannot be used, the first: {}", path.string(), skipped.size(),
                     skipped.front().reason);
}

}  // namespace

std::vector<SkippedLine> read_rows(std::string_view text, const TableSource& source,
                                   const std::function<void(const TunedRow&, std::int64_t)>& use,
                                   std::string_view live_gfx) {
  CsvScanner scanner(text, source.path.string());
  const auto names = names_in(scanner);
  insist_on_no_profile(names, scanner.source());
  TunedRowReader reader(names, source.family.format, defaults_on(source.family, live_gfx), scanner.source());
  std::vector<SkippedLine> skipped;
  while (scanner.next()) {
    if (const auto complaint = reader.read(scanner.fields()))
      skipped.push_back(skipped_line(scanner, *complaint));
    else
      use(reader.row(), scanner.line());
  }
  return skipped;
}

LoadedTables load_tables(std::span<const TableSource> sources, const BuildOptions& options) {
  LoadedTables loaded;
  TableIndexBuilder builder(options);
  for (const auto& source : sources) {
    const auto file = source.path.string();
    const auto text = read_file(source.path);
    if (trim(text).empty()) {
      loaded.notes.push_back(fmt::format("{}: the file is empty, and is left out", file));
      continue;
    }
    const auto family = family_of(text, source);
    const auto add = [&](const TunedRow& row, std::int64_t line) {
      builder.add(row, family, {.file = file, .line = line});
    };
    const auto skipped = read_rows(text, source, add, options.live_gfx);
    if (!skipped.empty()) loaded.notes.push_back(note_on(source.path, skipped));
  }
  loaded.index = std::move(builder).build();
  return loaded;
}

}  // namespace gemmtune
