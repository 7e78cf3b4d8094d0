// A row of a tuned table: one problem, the kernel chosen for it, and what it reached.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/evaluation.h"

namespace gemmtune {

struct TunedRow {
  std::string gfx{};
  std::int64_t cu_num{};
  Problem problem{};
  std::string libtype{};
  std::int64_t kernel_id{-1};
  std::int64_t split_k{};
  double time_us{};
  std::string kernel_name{};
  double err_ratio{};
};

TunedRow tuned_row(const Problem& problem, const Evaluation& evaluation, const std::string& gfx, std::int64_t cu_num);

}  // namespace gemmtune
