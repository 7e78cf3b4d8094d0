#include "string_map.h"

#include <fmt/printf.h>

namespace gemmtune::bench {
namespace {

std::string operation_text(const Problem& p) {
  return fmt::sprintf("GemmTunableOp_%s_%c%c", to_string(p.a.type).data(), 't', 'n');
}

std::string parameters_text(const Problem& p) {
  return fmt::sprintf("%c%c_%ld_%ld_%ld_ld_%ld_%ld_%ld", 't', 'n', p.n, p.m, p.k, p.k, p.k, p.n);
}

}  // namespace

StringMap::StringMap(const std::vector<Problem>& problems) {
  for (const auto& p : problems)
    entries_[operation_text(p)][parameters_text(p)] = {.kernel = fmt::format("Gemm_Hipblaslt_{}", p.m), .time_us = 1};
}

std::optional<StringMapEntry> StringMap::find(const Problem& problem) const {
  const auto operation = operation_text(problem);
  const auto parameters = parameters_text(problem);
  const std::lock_guard lock(mutex_);
  const auto entries = entries_.find(operation);
  if (entries == entries_.end()) return std::nullopt;
  const auto found = entries->second.find(parameters);
  return found == entries->second.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace gemmtune::bench
