// Where AITER's own files are, for tests that compare gemmtune with them. They are not part of gemmtune. Set
//   GEMMTUNE_AITER_CONFIGS  to aiter/configs of a checkout
//   GEMMTUNE_AITER_HSA      to hsa
//   GEMMTUNE_AITER_TRITON   to aiter/ops/triton/configs
//   GEMMTUNE_AITER_HISTORY  to a folder of tables of earlier generations
// Tests that need a folder are skipped where its variable is not set.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>

namespace gemmtune {

inline std::optional<std::filesystem::path> aiter_folder(const char* variable) {
  const char* named = std::getenv(variable);
  if (named == nullptr || !std::filesystem::is_directory(named)) return std::nullopt;
  return named;
}

}  // namespace gemmtune
