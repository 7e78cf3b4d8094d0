#include "gemmtune/table/sheet/known_columns.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gemmtune/core/text.h"
#include "gemmtune/gemm/dtype.h"

namespace gemmtune {
namespace {

using enum Role;
using enum CellKind;

constexpr std::array known{
    // Kernel lists.
    KnownColumn{"knl_name", "", key, word},
    // Device and sizes.
    KnownColumn{"gfx", "", device, word, "", Field::gfx},
    KnownColumn{"cu_num", "", device, whole, "", Field::cu_num},
    KnownColumn{"B", "", key, size, "", Field::batch},
    KnownColumn{"M", "", key, size, "", Field::m},
    KnownColumn{"N", "", key, size, "", Field::n},
    KnownColumn{"K", "", key, size, "", Field::k},
    KnownColumn{"q_dtype_w", "", key, type, "", Field::q_dtype_w},
    KnownColumn{"bias", "", key, flag, "False", Field::bias},
    KnownColumn{"dtype", "", key, type, "", Field::dtype},
    KnownColumn{"outdtype", "", key, type, "", Field::outdtype},
    KnownColumn{"scaleAB", "", key, flag, "False", Field::scale_ab},
    KnownColumn{"bpreshuffle", "", key, flag, "False", Field::bpreshuffle},
    // gemmtune's own parts of a key: tables without these columns are for contiguous operands and plain products.
    KnownColumn{"layout", "", key, word, "", Field::layout},
    KnownColumn{"epilogue", "", key, word, "", Field::epilogue},
    // The canonical text, which says all of the above and what no other column can.
    KnownColumn{"problem", "", key, word, "", Field::problem},
    // Fused MoE (a topk of -1 means any).
    KnownColumn{"token", "", key, whole},
    KnownColumn{"model_dim", "", key, whole},
    KnownColumn{"inter_dim", "", key, whole},
    KnownColumn{"expert", "", key, whole},
    KnownColumn{"topk", "", key, whole},
    KnownColumn{"shared_expert_id", "", key, whole},
    KnownColumn{"act_type", "", key, word},
    KnownColumn{"q_dtype_a", "", key, type},
    KnownColumn{"q_type", "", key, word},
    KnownColumn{"use_g1u1", "", key, flag, "0"},
    KnownColumn{"doweight_stage1", "", key, flag, "0"},
    KnownColumn{"hidden_pad", "", key, whole},
    KnownColumn{"intermediate_pad", "", key, whole},
    KnownColumn{"gate_mode", "", key, word},
    // Gated delta nets (their K, V and N are whole numbers as well).
    KnownColumn{"V", "", key, whole},
    KnownColumn{"BT", "", key, whole},
    KnownColumn{"H", "", key, whole},
    KnownColumn{"Hg", "", key, whole},
    KnownColumn{"is_varlen", "", key, flag, "False"},
    KnownColumn{"use_h0", "", key, flag, "False"},
    KnownColumn{"store_fs", "", key, flag, "False"},
    KnownColumn{"snapshot_bf16", "", key, flag, "False"},
    KnownColumn{"state_bf16", "", key, flag, "False"},
    KnownColumn{"T_flat", "", key, whole},
    KnownColumn{"total_chunks", "", key, whole},
    KnownColumn{"max_seq_chunks", "", key, whole},
    KnownColumn{"BV", "", choice, whole},
    // The choice.
    KnownColumn{"libtype", "", choice, word, "", Field::libtype},
    KnownColumn{"kernelId", "solidx", kernel_id, whole, "", Field::kernel_id},
    KnownColumn{"splitK", "", choice, whole, "0", Field::split_k},
    KnownColumn{"max_m", "", choice, whole},
    KnownColumn{"tile_m", "", choice, whole},
    KnownColumn{"tile_n", "", choice, whole},
    KnownColumn{"tile_k", "", choice, whole},
    KnownColumn{"tile_m2", "", choice, whole},
    KnownColumn{"tile_n2", "", choice, whole},
    KnownColumn{"tile_k2", "", choice, whole},
    KnownColumn{"m_warp", "", choice, whole},
    KnownColumn{"n_warp", "", choice, whole},
    KnownColumn{"m_warp2", "", choice, whole},
    KnownColumn{"n_warp2", "", choice, whole},
    KnownColumn{"num_buffers", "", choice, whole},
    KnownColumn{"num_buffer_stage2", "", choice, whole},
    KnownColumn{"split_k1", "", choice, whole},
    KnownColumn{"split_k2", "", choice, whole},
    KnownColumn{"grouped_persistent_m", "", choice, whole},
    KnownColumn{"persistent_workers", "", choice, whole},
    KnownColumn{"wave_specialized_tdm", "", choice, whole},
    KnownColumn{"tdm_as_in_prologue", "", choice, whole},
    KnownColumn{"cluster_n", "", choice, whole},
    KnownColumn{"waves_per_tensor_tdm", "", choice, whole},
    KnownColumn{"next_stage_prefetch", "", choice, whole},
    KnownColumn{"block_m", "", choice, whole},
    KnownColumn{"ksplit", "", choice, whole, "0"},
    KnownColumn{"us1", "", part_time, number},
    KnownColumn{"kernelName1", "", kernel_name, word},
    KnownColumn{"err1", "", error, share},
    KnownColumn{"us2", "", part_time, number},
    KnownColumn{"kernelName2", "", kernel_name, word},
    KnownColumn{"err2", "", error, share},
    KnownColumn{"us", "total_us soltimes", Role::time, number, "", Field::time_us},  // fused MoE, bf16 of 2025-10
    KnownColumn{"kernelName", "", kernel_name, word, "", Field::kernel_name},
    KnownColumn{"run_1stage", "", choice, flag, "0"},
    KnownColumn{"xbf16", "", choice, flag, "0"},
    KnownColumn{"flat", "", choice, flag, "0"},
    KnownColumn{"tflops", "", derived, number, "", Field::tflops},
    KnownColumn{"bw", "", derived, number, "", Field::bandwidth},
    KnownColumn{"errRatio", "err_ratio", error, share, "", Field::err_ratio},
    KnownColumn{"_tag", "", key, word},
    // The origin of a row, in gemmtune's own tables.
    KnownColumn{"us_low", "", provenance, number, "", Field::us_low},
    KnownColumn{"us_high", "", provenance, number, "", Field::us_high},
    KnownColumn{"dispersion", "", provenance, number, "", Field::dispersion},
    KnownColumn{"samples", "", provenance, whole, "", Field::samples},
    KnownColumn{"library", "", provenance, word, "", Field::library},
    KnownColumn{"device_name", "", provenance, word, "", Field::device_name},
    KnownColumn{"driver", "", provenance, word, "", Field::driver},
    KnownColumn{"policy", "", provenance, word, "", Field::policy},
    KnownColumn{"date", "", provenance, word, "", Field::date},
};

bool is_plain_number(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && text.size() < 18 && text.front() != '0' && std::ranges::all_of(text, is_digit);
}

/// Also accepts "128.0", as pandas writes whole numbers in a column that had a gap.
std::optional<std::int64_t> parse_whole(std::string_view text) {
  if (const auto value = parse_int(text)) return value;
  constexpr double largest_exact = 9007199254740992.0;  // 2^53
  const auto value = parse_double(text);
  if (!value || !(std::abs(*value) <= largest_exact) || *value != std::floor(*value)) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::optional<bool> parse_flag(std::string_view text) {
  if (const auto value = parse_bool(text)) return value;
  const auto value = parse_whole(text);
  return value && (*value == 0 || *value == 1) ? std::optional(*value == 1) : std::nullopt;
}

std::optional<double> parse_share(std::string_view text) {
  if (!text.ends_with('%')) return parse_double(text);
  text.remove_suffix(1);
  const auto percent = parse_double(trim(text));
  return percent ? std::optional(*percent / 100) : std::nullopt;
}

template <typename Value, typename Print>
std::string printed_or(std::string_view text, const std::optional<Value>& value, Print print) {
  return value ? std::string(print(*value)) : std::string(text);
}

bool is_alias(std::string_view aliases, std::string_view name) {
  if (aliases.empty()) return false;
  return std::ranges::any_of(split(aliases, ' '),
                             [&](std::string_view alias) { return equals_ignoring_case(alias, name); });
}

/// Each field but `unknown` has one column.
constexpr bool every_field_has_a_column() {
  for (int field = 0; field < static_cast<int>(Field::unknown); ++field) {
    int count = 0;
    for (const auto& column : known) count += column.field == static_cast<Field>(field) ? 1 : 0;
    if (count != 1) return false;
  }
  return true;
}
static_assert(every_field_has_a_column());

}  // namespace

std::span<const KnownColumn> known_columns() { return known; }

std::optional<std::size_t> find_known_column(std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (std::size_t i = 0; i < known.size(); ++i)
    if (equals_ignoring_case(known[i].name, name) || is_alias(known[i].aliases, name)) return i;
  return std::nullopt;
}

bool says_nothing(std::string_view text) {
  if (text.size() > 4) return false;
  return text.empty() || equals_ignoring_case(text, "null") || equals_ignoring_case(text, "none") ||
         equals_ignoring_case(text, "nan");
}

std::string canonical_value(CellKind kind, std::string_view text) {
  text = trim(text);
  if (kind == share && equals_ignoring_case(text, "nan")) return "nan";  // the mark of results that were not compared
  if (says_nothing(text)) return kind == flag ? "0" : "";
  switch (kind) {
    case word:
      return std::string(text);
    case size:
    case whole:
      if (is_plain_number(text)) return std::string(text);
      return printed_or(text, parse_whole(text), [](std::int64_t value) { return std::to_string(value); });
    case number:
      return printed_or(text, parse_double(text), shortest);
    case flag:
      return printed_or(text, parse_flag(text), [](bool value) { return value ? "1" : "0"; });
    case type:
      return printed_or(text, parse_dtype(text), torch_name);
    case share:
      return printed_or(text, parse_share(text), shortest);
  }
  return std::string(text);
}

std::string_view why_not(CellKind kind, std::string_view text) {
  text = trim(text);
  if (kind == size) {
    if (is_plain_number(text)) return {};
    const auto value = parse_whole(text);
    return value && *value > 0 ? "" : "a whole number above 0";
  }
  if (says_nothing(text)) return {};
  switch (kind) {
    case whole:
      return parse_whole(text) ? "" : "a whole number";
    case number:
      return parse_double(text) ? "" : "a number";
    case flag:
      return parse_flag(text) ? "" : "True or False";
    case share:
      return parse_share(text) ? "" : "a share or a percentage";
    case size:
    case word:
    case type:
      return {};
  }
  return {};
}

std::string_view gfx_of(std::string_view cu_num) {
  const auto units = canonical_value(whole, cu_num);
  if (units == "256") return "gfx950";
  return units == "80" || units == "304" ? "gfx942" : "";
}

std::string_view without_features(std::string_view gfx) { return gfx.substr(0, gfx.find(':')); }

}  // namespace gemmtune
