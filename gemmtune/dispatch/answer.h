// The answer of a lookup: which kernel, how it was found, and how fast it was when it was tuned.
#pragma once

#include <cstdint>
#include <string_view>

#include "gemmtune/table/match_kind.h"

namespace gemmtune {

/// A row of a table as it is served. Texts belong to the index that answered and live as long as the index. Each text
/// is followed by a NUL, so that a C program can use its data().
struct Choice {
  std::string_view libtype{};      // kernel family
  std::string_view kernel_name{};  // the candidate; empty if the library chooses the kernel itself
  std::int64_t kernel_id{-1};      // the library's own index: a hint
  std::int64_t split_k{};          // the value in the table's column
  double time_us{};                // measured during tuning, for the row's own M; 0 if no row gives a time
  std::string_view source{};       // the file or the rule that the choice comes from
  std::int64_t line{};             // line of that file
};

struct Answer {
  MatchKind match{MatchKind::fallback};
  std::int64_t tuned_m{};     // the M of the row that was used; 0 for a fallback
  const Choice* choice{};     // null if neither a row nor a rule gives a kernel
  const Choice* runner_up{};  // the second-best kernel for the same key; null if the tables have none
  double expected_us{};       // of this call: the row's time, or that time · M / tuned_m if the row is for a smaller M
  bool is_scaled{};           // whether expected_us was multiplied by M / tuned_m
};

}  // namespace gemmtune
