// Reads what the environment asks of a serving process. These variables are read nowhere else:
//   GEMMTUNE_CONFIG_<FAMILY>    tables of a family, separated by colons; if it is not set, AITER's AITER_CONFIG_…
//   GEMMTUNE_CONFIG_FMOE        tables of fused MoE, for lookups alone; if it is not set, AITER_CONFIG_FMOE
//   GEMMTUNE_LOG_TUNED_CONFIG   logs one line for each distinct problem; also AITER_LOG_TUNED_CONFIG
//   GEMMTUNE_CAPTURE            the file that records the problems (dispatch/capture/capture.h); also AITER_TUNE_GEMM=1
//   GEMMTUNE_CAPTURE_SIGNAL     USR1 or USR2: also write that file when this signal arrives
//   GEMMTUNE_CAPTURE_INTERVAL   seconds between the writes of that file
//   GEMMTUNE_RELOAD_INTERVAL    seconds between looks whether tables have changed; tables need not exist yet
//   GEMMTUNE_SUMMARY            1: what a runtime has done, when it is closed or the process exits
//   GEMMTUNE_PRELOAD            0: the preloaded library (preload/) does nothing
//   GPU_ARCHS, CU_NUM           AITER's names for the device, if the program does not name it
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/dispatch/capture/capture.h"
#include "gemmtune/dispatch/index/table_source.h"

namespace gemmtune {

struct FamilyVariable {
  std::string_view ours{};    // GEMMTUNE_CONFIG_A8W8
  std::string_view aiters{};  // AITER_CONFIG_GEMM_A8W8
  TableFamily family{};
};

std::span<const FamilyVariable> family_variables();

struct Environment {
  std::vector<TableSource> tables{};                // all of them exist, unless they are looked for again and again
  std::vector<std::filesystem::path> moe_tables{};  // of fused MoE (dispatch/moe_lookup.h); these too
  std::vector<std::string> notes{};                 // files that do not, one line each
  bool log_lookups{};
  std::chrono::milliseconds reload_interval{0};  // 0: tables are read once
  bool wants_summary{};
  bool is_preload_off{};
  std::optional<CaptureOptions> capture{};
  std::string gfx{};      // "" where it is not said, or more than one
  std::int64_t cu_num{};  // 0 where it is not said
};

/// A variable's value; nothing where it is not set.
using Variables = std::function<std::optional<std::string>(std::string_view)>;

Variables process_variables();

/// The variables of a process whose tables the caller names, so that those of the environment need not exist.
Variables process_variables_without_tables();

/// Throws Error{input} for a variable none of whose files exist, and for one that does not read.
Environment read_environment(const Variables& variables);

}  // namespace gemmtune
