// Converts configuration files to rows.
#include <fmt/format.h>

#include <algorithm>

#include "gemmtune/table/triton/triton_params.h"
#include "gemmtune/table/triton/triton_rows.h"

namespace gemmtune {
namespace {

const std::vector<std::string> fixed_columns{"gfx",     "B",  "M",          "N",    "K",
                                             "libtype", "us", "kernelName", "file", "bucket"};

std::vector<std::string> param_columns(const std::vector<NamedTritonFile>& files) {
  std::vector<Param> seen;
  for (const auto& named : files)
    for (const auto& entry : named.file.entries)
      for (const auto& param : entry.params)
        if (std::ranges::find(seen, param.key, &Param::key) == seen.end()) seen.push_back({param.key, ""});
  std::vector<std::string> columns;
  for (const auto& param : in_canonical_order(seen)) columns.push_back(param.key);
  return columns;
}

std::string size_text(const TritonName& name, std::string_view size) {
  const auto value = name.size(size);
  return value ? std::to_string(*value) : "";
}

std::string m_text(const std::optional<ServedRange>& range) {
  if (!range) return "";
  return std::to_string(range->to > 0 ? range->to : range->from);
}

std::string param_text(const TritonEntry& entry, const std::string& key) {
  const auto param = std::ranges::find(entry.params, key, &Param::key);
  return param == entry.params.end() ? "" : triton_cell(*param);
}

/// Adds a row for each entry of one file.
void add_rows(TritonCsv& csv, const NamedTritonFile& named, const std::vector<std::string>& params) {
  const auto& [name, file] = named;
  const auto ranges = served_ranges(file, bounds_of(name, file));
  for (std::size_t i = 0; i < file.entries.size(); ++i) {
    const auto& entry = file.entries[i];
    if (!entry.other.empty()) {
      csv.left_out.push_back({file.source, fmt::format("{} is no configuration", entry.key)});
      continue;
    }
    std::vector<std::string> cells{name.device,
                                   size_text(name, "B"),
                                   m_text(ranges[i]),
                                   size_text(name, "N"),
                                   size_text(name, "K"),
                                   "triton",
                                   "0",
                                   name_with_params("triton", entry.params),
                                   triton_file_name(name),
                                   entry.key};
    for (const auto& key : params) cells.push_back(param_text(entry, key));
    csv.text += csv_line(cells) + '\n';
  }
}

}  // namespace

TritonCsv triton_csv(const std::vector<NamedTritonFile>& files) {
  const auto params = param_columns(files);
  auto columns = fixed_columns;
  columns.insert(columns.end(), params.begin(), params.end());
  TritonCsv csv{.text = csv_line(columns) + '\n', .left_out = {}};
  for (const auto& named : files) add_rows(csv, named, params);
  return csv;
}

}  // namespace gemmtune
