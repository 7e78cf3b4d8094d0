#include "gemmtune/dispatch/moe_lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/table/error_ratio.h"

namespace gemmtune {
namespace {

constexpr std::string_view prefix = "fmoe:";

/// AITER's key of fused MoE without the device.
constexpr std::array<std::string_view, 12> key_names{"token",     "model_dim", "inter_dim", "expert",
                                                     "topk",      "act_type",  "dtype",     "q_dtype_a",
                                                     "q_dtype_w", "q_type",    "use_g1u1",  "doweight_stage1"};

bool is_key_name(std::string_view name) { return std::ranges::find(key_names, name) != key_names.end(); }

/// "silu" for ActivationType.Silu; other words as they are, in lower case.
std::string word(std::string_view text) {
  const auto dot = text.rfind('.');
  return to_lower(dot == std::string_view::npos ? text : text.substr(dot + 1));
}

/// Equal for texts that mean the same.
std::string canonical(std::string_view name, std::string_view text) {
  const auto known = find_known_column(name);
  const auto kind = known_columns()[*known].kind;
  return kind == CellKind::word ? word(trim(text)) : canonical_value(kind, text);
}

std::int64_t whole(const Sheet& sheet, const SheetRow& row, std::string_view column) {
  return parse_int(canonical_value(CellKind::whole, sheet.text(row, sheet.column(column)))).value_or(0);
}

bool is_of_device(const Sheet& sheet, const SheetRow& row, const MoeQuestion& question) {
  return gfx_of(sheet, row) == question.gfx && whole(sheet, row, "cu_num") == question.cu_num;
}

bool is_served(const Sheet& sheet, const SheetRow& row) {
  const auto tag = sheet.column("_tag");
  return !is_wrong(sheet, row) && (!tag || sheet.text(row, tag) != "flydsl_fallback");
}

}  // namespace

bool is_moe_question(std::string_view text) { return text.starts_with(prefix); }

MoeQuestion parse_moe_question(std::string_view text) {
  MoeQuestion question;
  for (const auto piece : split(text.substr(prefix.size()), ':')) {
    const auto at = piece.find('=');
    const auto name = trim(piece.substr(0, at));
    if (at == std::string_view::npos || !is_key_name(name))
      fail(ErrorCode::input, "'{}': found '{}', expected KEY=VALUE with one of {}", text, piece,
           fmt::join(key_names, ", "));
    question.keys[std::string(name)] = canonical(name, piece.substr(at + 1));
  }
  for (const auto name : key_names)
    if (!question.keys.contains(name)) fail(ErrorCode::input, "'{}': there is no {}", text, name);
  if (const auto token = parse_int(question.keys.at("token")); !token || *token < 1)
    fail(ErrorCode::input, "'{}': token: expected a whole number above 0", text);
  return question;
}

std::string to_string(const MoeQuestion& question) {
  std::string text = "fmoe";
  for (const auto name : key_names) text += fmt::format(":{}={}", name, question.keys.find(name)->second);
  return text;
}

bool is_moe_table(const Sheet& sheet) {
  const auto has = [&](std::string_view name) { return sheet.column(name).has_value(); };
  return std::ranges::all_of(key_names, has) && has("kernelName1") && !has("max_m") && !has("shared_expert_id");
}

std::vector<std::int64_t> moe_tokens_tried(std::int64_t token) {
  constexpr std::int64_t fine_end = 32768;
  constexpr std::int64_t coarse = 131072;
  if (token >= coarse) return {coarse, fine_end};
  if (token >= fine_end) return {fine_end};
  return {static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(token)))};
}

MoeTables::MoeTables(std::span<const std::filesystem::path> paths) {
  for (const auto& path : paths) {
    sheets_.push_back(read_sheet(path));
    if (!is_moe_table(sheets_.back()))
      fail(ErrorCode::input, "{}:1:1: expected the columns of a table of fused MoE: {}", path.string(),
           fmt::join(key_names, ","));
  }
}

std::optional<MoeTables::Found> MoeTables::best(const MoeQuestion& question, std::int64_t token,
                                                Activation activation) const {
  std::optional<Found> found;
  for (const auto& sheet : sheets_) {
    const auto fits = [&](const SheetRow& row) {
      return std::ranges::all_of(question.keys, [&](const auto& key) {
        const auto& [name, value] = key;
        if (name == "act_type" && activation == Activation::any) return true;
        const auto cell = canonical(name, sheet.text(row, sheet.column(name)));
        return cell == (name == "token" ? std::to_string(token) : value);
      });
    };
    for (const auto& row : sheet.rows) {
      const auto time = gemmtune::time_us(sheet, row);
      if (!time || (found && *time >= found->time_us)) continue;
      if (is_of_device(sheet, row, question) && is_served(sheet, row) && fits(row)) found = {&sheet, &row, *time};
    }
  }
  return found;
}

std::optional<MoeAnswer> MoeTables::lookup(const MoeQuestion& question) const {
  const auto token = *parse_int(question.keys.at("token"));
  for (const auto activation : {Activation::same, Activation::any})
    for (const auto tried : moe_tokens_tried(token))
      if (const auto found = best(question, tried, activation)) {
        const auto& [sheet, row, time] = *found;
        const auto text = [&](std::string_view column) {
          return std::string(sheet->text(*row, sheet->column(column)));
        };
        return MoeAnswer{.tuned_token = tried,
                         .is_other_activation = activation == Activation::any,
                         .kernel1 = text("kernelName1"),
                         .kernel2 = text("kernelName2"),
                         .block_m = whole(*sheet, *row, "block_m"),
                         .ksplit = whole(*sheet, *row, "ksplit"),
                         .time_us = time,
                         .where = sheet->where(*row)};
      }
  return std::nullopt;
}

}  // namespace gemmtune
