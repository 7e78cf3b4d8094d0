// Looks up rows of AITER's tables of fused MoE (AITER_CONFIG_FMOE) as AITER does. There are no kernels for them here:
// the answer says which kernels AITER would run, and from which row. Not: tables of grouped or hybrid MoE, whose keys
// are others.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/table/sheet/sheet.h"

namespace gemmtune {

/// A call of fused MoE: the values of AITER's key columns by their names, beside gfx and cu_num.
struct MoeQuestion {
  std::map<std::string, std::string, std::less<>> keys{};  // token, model_dim, …, in canonical spelling
  std::string gfx{};
  std::int64_t cu_num{};
};

/// Whether a text is meant as such a call: it begins with "fmoe:".
bool is_moe_question(std::string_view text);

/// Reads "fmoe:token=16:model_dim=7168:…" with all twelve keys. Words may leave out their class (Silu for
/// ActivationType.Silu, per_1x128 for QuantType.per_1x128). Throws Error{input} that names a key that is missing or
/// unknown.
MoeQuestion parse_moe_question(std::string_view text);

std::string to_string(const MoeQuestion& question);

/// Whether the table's rows have AITER's key of fused MoE.
bool is_moe_table(const Sheet& sheet);

/// The numbers of tokens whose rows AITER tries in turn: the next power of two up to 32768; from there on 32768; from
/// 131072 on 131072, then 32768.
std::vector<std::int64_t> moe_tokens_tried(std::int64_t token);

struct MoeAnswer {
  std::int64_t tuned_token{};
  bool is_other_activation{};  // the row is for another act_type: rows for it are missing
  std::string kernel1{};
  std::string kernel2{};
  std::int64_t block_m{};
  std::int64_t ksplit{};
  double time_us{};
  std::string where{};  // file:line
};

class MoeTables {
 public:
  /// Throws Error{input} if a file cannot be read or is no table of fused MoE.
  explicit MoeTables(std::span<const std::filesystem::path> paths);

  /// The fastest right row of the first key that has one. Rows without a time, over the error limit, or tagged
  /// flydsl_fallback, which AITER drops when it reads, are never served. Empty if no row serves the call.
  std::optional<MoeAnswer> lookup(const MoeQuestion& question) const;

 private:
  enum class Activation { same, any };

  struct Found {
    const Sheet* sheet{};
    const SheetRow* row{};
    double time_us{};
  };

  std::optional<Found> best(const MoeQuestion& question, std::int64_t token, Activation activation) const;

  std::vector<Sheet> sheets_;
};

}  // namespace gemmtune
