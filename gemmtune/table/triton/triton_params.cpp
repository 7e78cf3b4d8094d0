#include "gemmtune/table/triton/triton_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "gemmtune/core/json.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

struct Spelling {
  std::string_view name;
  std::string_view abbreviation;  // before the number in a short name; "" if there is none
};

constexpr int levels_around_values = 2;  // the file and its entry
constexpr std::string_view cache = "cache_modifier";

constexpr std::array<Spelling, 19> spellings{{{"BLOCK_SIZE_M", "bm"},
                                              {"BLOCK_SIZE_N", "bn"},
                                              {"BLOCK_SIZE_K", "bk"},
                                              {"BLOCK_M", ""},
                                              {"BLOCK_N", ""},
                                              {"BLOCK_K", ""},
                                              {"GROUP_SIZE_M", "gm"},
                                              {"num_warps", "w"},
                                              {"num_stages", "s"},
                                              {"waves_per_eu", "wpe"},
                                              {"matrix_instr_nonkdim", "mi"},
                                              {"cache_modifier", ""},
                                              {"NUM_KSPLIT", "ks"},
                                              {"SPLITK_BLOCK_SIZE", ""},
                                              {"kpack", "kp"},
                                              {"NUM_BUFFERS", "nb"},
                                              {"GROUP_K", ""},
                                              {"GROUP_N", ""},
                                              {"kernel_type", ""}}};

/// How candidates of gemmtune's own Triton kernels spell the parameters that other short names spell otherwise.
constexpr std::array<Spelling, 2> own_spellings{{{"GROUP_SIZE_M", "g"}, {"NUM_KSPLIT", "k"}}};

constexpr std::array<std::string_view, 2> beyond_files{"p", "t"};  // persistent, TMA

std::size_t place(std::string_view param) {
  const auto found = std::ranges::find(spellings, param, &Spelling::name);
  return static_cast<std::size_t>(found - spellings.begin());
}

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c != '_' && c != '.'; });
}

/// The value after …_NAME_ in a long name.
std::optional<std::string_view> value_behind(std::string_view kernel_name, std::string_view param) {
  const auto mark = fmt::format("_{}_", param);
  const auto at = kernel_name.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const auto rest = kernel_name.substr(at + mark.size());
  const auto value = rest.substr(0, rest.find_first_of("_."));
  return is_word(value) ? std::optional(value) : std::nullopt;
}

/// The parameter that an abbreviation in a short name stands for; "" if there is none.
std::string_view param_abbreviated(std::string_view abbreviation) {
  for (const auto& [name, known] : spellings)
    if (known == abbreviation) return name;
  for (const auto& [name, known] : own_spellings)
    if (known == abbreviation) return name;
  return {};
}

/// "bm64" as "bm" and 64.
std::optional<std::pair<std::string_view, std::int64_t>> abbreviated_number(std::string_view piece) {
  const auto digits = piece.find_first_of("0123456789");
  if (digits == std::string_view::npos || digits == 0) return std::nullopt;
  const auto number = parse_int(piece.substr(digits));
  if (!number) return std::nullopt;
  return std::pair(piece.substr(0, digits), *number);
}

/// The parameter in a piece of a short name: bm64 gives BLOCK_SIZE_M, cg and cg1 give cache_modifier.
std::optional<Param> param_of_piece(std::string_view piece) {
  if (piece == "cg1") piece = "cg";
  if (piece == "cg" || piece == "ca" || piece == "cv") return Param{std::string(cache), triton_value(cache, piece)};
  const auto found = abbreviated_number(piece);
  const auto param = found ? param_abbreviated(found->first) : std::string_view();
  if (param.empty()) return std::nullopt;
  return Param{std::string(param), std::to_string(found->second)};
}

std::vector<Param> params_in_short_name(std::string_view kernel_name) {
  std::vector<Param> params;
  for (const auto piece : split(kernel_name, '_')) {
    const auto param = param_of_piece(piece);
    const auto same_key = [&](const Param& other) { return other.key == param->key; };
    if (param && std::ranges::none_of(params, same_key)) params.push_back(*param);
  }
  return params;
}

std::string json_string(std::string_view text) {
  using nlohmann::json;
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

/// The text between the quotes, if nothing in it is escaped. null gives None.
std::optional<std::string> bare_string(std::string_view json_text) {
  if (json_text == "null") return "None";
  if (json_text.size() < 2 || !json_text.starts_with('"') || json_text.find('\\') != std::string_view::npos)
    return std::nullopt;
  return std::string(json_text.substr(1, json_text.size() - 2));
}

/// The value ".cg" with its quotes, as names write it: cg.
std::string_view bare(std::string_view json_text) {
  while (!json_text.empty() && (json_text.front() == '"' || json_text.front() == '.')) json_text.remove_prefix(1);
  if (json_text.ends_with('"')) json_text.remove_suffix(1);
  return json_text;
}

}  // namespace

const std::vector<std::string_view>& triton_param_names() {
  static const auto names = [] {
    std::vector<std::string_view> all;
    for (const auto& spelling : spellings) all.push_back(spelling.name);
    return all;
  }();
  return names;
}

std::optional<std::string_view> triton_param_named(std::string_view column) {
  for (const auto& spelling : spellings)
    if (equals_ignoring_case(spelling.name, column)) return spelling.name;
  return std::nullopt;
}

std::string triton_value(std::string_view param, std::string_view text) {
  if (const auto number = parse_int(text)) return std::to_string(*number);
  if (is_json(text, levels_around_values)) return std::string(text);
  if (equals_ignoring_case(text, "none") || equals_ignoring_case(text, "null")) return "null";
  const bool needs_dot = param == cache && !text.starts_with('.') && !text.empty();
  return needs_dot ? json_string("." + to_lower(text)) : json_string(text);
}

std::string triton_cell(const Param& param) {
  const auto text = bare_string(param.value);
  return text && triton_value(param.key, *text) == param.value ? *text : param.value;
}

std::vector<Param> params_in_name(std::string_view kernel_name) {
  std::vector<Param> params;
  for (const auto& spelling : spellings)
    if (const auto value = value_behind(kernel_name, spelling.name))
      params.push_back({std::string(spelling.name), triton_value(spelling.name, *value)});
  return params.empty() ? in_canonical_order(params_in_short_name(kernel_name)) : params;
}

std::vector<std::string> parts_beyond_files(std::string_view kernel_name) {
  std::vector<std::string> beyond;
  if (!says_tile(params_in_short_name(kernel_name))) return beyond;
  for (const auto piece : split(kernel_name, '_'))
    if (const auto found = abbreviated_number(piece); found && std::ranges::count(beyond_files, found->first) > 0)
      beyond.emplace_back(piece);
  return beyond;
}

std::string name_with_params(std::string_view prefix, const std::vector<Param>& params) {
  std::string name(prefix);
  for (const auto& [key, value] : params) {
    const auto at = place(key);
    const auto abbreviation = at < spellings.size() ? spellings[at].abbreviation : std::string_view();
    if (!abbreviation.empty()) name += fmt::format("_{}{}", abbreviation, bare(value));
    if (key == cache && value != "null") name += fmt::format("_{}", bare(value));
  }
  return name;
}

std::vector<Param> in_canonical_order(std::vector<Param> params) {
  std::ranges::stable_sort(params, {}, [](const Param& param) { return place(param.key); });
  return params;
}

bool says_tile(const std::vector<Param>& params) {
  const auto has = [&](std::string_view key) {
    return std::ranges::any_of(params, [&](const Param& param) { return param.key == key; });
  };
  return (has("BLOCK_SIZE_M") && has("BLOCK_SIZE_N")) || (has("BLOCK_M") && has("BLOCK_N"));
}

}  // namespace gemmtune
