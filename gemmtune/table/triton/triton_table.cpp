#include "gemmtune/table/triton/triton_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/table/sheet/known_columns.h"
#include "gemmtune/table/triton/triton_params.h"

namespace gemmtune {
namespace {

constexpr std::string_view cache = "cache_modifier";

const Param* find(const std::vector<Param>& params, std::string_view key) {
  const auto found = std::ranges::find(params, key, &Param::key);
  return found == params.end() ? nullptr : &*found;
}

/// As AITER's kernels want them, which have no default for the cache modifier.
std::vector<Param> file_params(std::string_view kernel_name) {
  auto params = params_in_name(kernel_name);
  if (find(params, cache) == nullptr) params.push_back({std::string(cache), "null"});
  return in_canonical_order(std::move(params));
}

TritonName name_of(const TunedRow& row, TritonName name) {
  const auto& problem = row.problem;
  if (!row.gfx.empty()) name.device = triton_device(row.gfx);
  if (problem.batch > 1) name.sizes.push_back({"B", problem.batch});
  name.sizes.push_back({"N", problem.n});
  name.sizes.push_back({"K", problem.k});
  return name;
}

/// `any` or `default`.
bool is_last_resort(const TritonEntry& entry) { return entry.key == "any" || entry.key == "default"; }

bool has(const TritonFile& file, const std::string& key) {
  return std::ranges::find(file.entries, key, &TritonEntry::key) != file.entries.end();
}

/// Whether the file has entries for M that were not made anew.
bool keeps_some(const TritonFile& present, const TritonFile& made) {
  return std::ranges::any_of(present.entries, [&](const TritonEntry& entry) {
    return entry.other.empty() && !is_last_resort(entry) && !has(made, entry.key);
  });
}

void insert(TritonFile& file, const TritonEntry& entry) {
  const auto same = std::ranges::find(file.entries, entry.key, &TritonEntry::key);
  if (same != file.entries.end())
    *same = entry;
  else
    file.entries.insert(std::ranges::find_if(file.entries, is_last_resort), entry);
}

/// A part of a candidate's name, with the value that stands for a parameter that a file may leave out ("" if it may
/// not).
struct Part {
  std::string_view abbreviation;
  std::string_view param;
  std::string_view usual;
};

constexpr std::array<Part, 7> required_parts{{{"bm", "BLOCK_SIZE_M", ""},
                                              {"bn", "BLOCK_SIZE_N", ""},
                                              {"bk", "BLOCK_SIZE_K", ""},
                                              {"g", "GROUP_SIZE_M", "1"},
                                              {"w", "num_warps", "4"},
                                              {"s", "num_stages", "2"},
                                              {"k", "NUM_KSPLIT", "1"}}};
constexpr std::array<Part, 3> amd_parts{
    {{"wpe", "waves_per_eu", "0"}, {"kp", "kpack", "0"}, {"mi", "matrix_instr_nonkdim", "0"}}};

/// "_bm64"; empty if it cannot be said.
std::string part_text(const Part& part, const std::vector<Param>& params) {
  const auto* param = find(params, part.param);
  const std::string_view value = param == nullptr ? part.usual : std::string_view(param->value);
  return parse_int(value) ? fmt::format("_{}{}", part.abbreviation, value) : "";
}

bool is_for(const NamedTritonFile& named, const TritonName& kernel, const Problem& problem) {
  const auto& name = named.name;
  return name.device == kernel.device && name.kernel == kernel.kernel && name.tag == kernel.tag &&
         name.backend.empty() && name.size("N") == problem.n && name.size("K") == problem.k;
}

bool is_default_for(const NamedTritonFile& named, const TritonName& kernel) { return named.name == kernel; }

}  // namespace

std::string triton_device(std::string_view arch) {
  std::string device(without_features(arch));
  std::ranges::replace(device, '-', '_');
  return device;
}

TritonRows triton_rows(const TunedTable& table, const TritonName& kernel) {
  TritonRows result;
  for (const auto& row : table.rows) {
    if (row.libtype != triton_family_name || !has_time(row)) continue;
    const auto where = fmt::format("{}, {}", to_string(row.problem), row.kernel_name);
    if (const auto beyond = parts_beyond_files(row.kernel_name); !beyond.empty()) {
      result.left_out.push_back({where, fmt::format("files have no parameter for {}", join(beyond, " and "))});
      continue;
    }
    result.rows.push_back({.where = where,
                           .name = name_of(row, kernel),
                           .m = row.problem.m,
                           .time_us = row.time_us,
                           .params = file_params(row.kernel_name)});
  }
  return result;
}

TritonFile merged(TritonFile present, const TritonFile& made) {
  const bool says_keys = std::ranges::any_of(
      present.entries, [](const TritonEntry& entry) { return entry.other.empty() && !is_last_resort(entry); });
  if (says_keys && keys_of(present) != keys_of(made))
    fail(ErrorCode::usage, "{}: its keys are {}, not {}", present.source, to_string(keys_of(present)),
         to_string(keys_of(made)));
  const bool keeps = keeps_some(present, made);
  for (const auto& entry : made.entries)
    if (!(is_last_resort(entry) && keeps && has(present, entry.key))) insert(present, entry);
  return present;
}

std::string candidate_of_params(const std::vector<Param>& params) {
  std::string name(triton_family_name);
  for (const auto& part : required_parts) {
    const auto text = part_text(part, params);
    if (text.empty()) return {};
    name += text;
  }
  if (const auto* modifier = find(params, cache); modifier != nullptr && modifier->value == "\".cg\"") name += "_cg1";
  for (const auto& part : amd_parts)
    if (const auto text = part_text(part, params); !text.ends_with(fmt::format("_{}0", part.abbreviation)))
      name += text;
  return name;
}

std::optional<std::vector<Param>> known_params(const std::vector<NamedTritonFile>& files, const TritonName& kernel,
                                               const Problem& problem) {
  auto file = std::ranges::find_if(files, [&](const auto& named) { return is_for(named, kernel, problem); });
  if (file == files.end())
    file = std::ranges::find_if(files, [&](const auto& named) { return is_default_for(named, kernel); });
  if (file == files.end()) return std::nullopt;
  const auto match = config_for(file->file, problem.m, bounds_of(file->name, file->file));
  if (!match) return std::nullopt;
  return file->file.entries[match->entry].params;
}

}  // namespace gemmtune
