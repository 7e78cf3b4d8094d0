#include "gemmtune/report/backend.h"

#include <algorithm>
#include <array>

#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

struct NameRule {
  std::string_view part;  // a part of the name in lower case
  std::string_view backend;
};

/// The first rule that fits decides. Kernels in AITER's tables without libtype are named like this.
constexpr std::array<NameRule, 17> name_rules{{{"f4gemm_bf16", "asm"},
                                               {"_zn5aiter", "asm"},
                                               {"cktile", "cktile"},
                                               {"a4w4_blockscale", "cktile"},
                                               {"a8w8_", "ck"},
                                               {"bf16_batched", "ck"},
                                               {"kernel_gemm_xdl", "ck"},
                                               {"flydsl", "flydsl"},
                                               {"opus_gemm", "opus"},
                                               {"gluon", "gluon"},
                                               {"triton", "triton"},
                                               {"cijk_", "hipblaslt"},
                                               {"hipblaslt", "hipblaslt"},
                                               {"wvsplitk", "skinny"},
                                               {"wv_splitk", "skinny"},
                                               {"llmm1", "skinny"},
                                               {"torch", "torch"}}};

bool starts_with_word(std::string_view name, std::string_view word) {
  return name.starts_with(word) && (name.size() == word.size() || name[word.size()] == '_');
}

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

std::string first_word(std::string_view name) {
  const auto word = name.substr(0, std::ranges::find_if_not(name, is_letter) - name.begin());
  return word.empty() ? "other" : std::string(word);
}

}  // namespace

std::string backend_of(std::string_view libtype, std::string_view kernel, const std::vector<std::string>& families) {
  if (!libtype.empty()) return to_lower(libtype);
  const auto name = to_lower(kernel);
  for (const auto& family : families)
    if (starts_with_word(name, to_lower(family))) return to_lower(family);
  for (const auto& rule : name_rules)
    if (name.find(rule.part) != std::string::npos) return std::string(rule.backend);
  return first_word(name);
}

}  // namespace gemmtune
