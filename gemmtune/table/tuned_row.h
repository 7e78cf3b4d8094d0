// A row of a tuned table: one problem, the kernel chosen for it, and its results.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/evaluation.h"

namespace gemmtune {

/// How the row was measured. Members are empty or 0 if the table does not state them.
struct Origin {
  double low_us{};  // 95 % confidence interval of the time
  double high_us{};
  double dispersion{};
  std::int64_t samples{};
  std::string library{};  // the kernel's library and its version
  std::string device_name{};
  std::string driver{};
  std::string policy{};  // how it was measured
  std::string date{};    // in UTC, as 2026-11-27T21:41:31Z

  bool operator==(const Origin&) const = default;
};

struct TunedRow {
  std::string gfx{};
  std::int64_t cu_num{};
  Problem problem{};
  std::string libtype{};
  std::int64_t kernel_id{-1};  // the library's own index, only a hint
  std::int64_t split_k{};      // the value in the column, see split_k_column()
  double time_us{};
  std::string kernel_name{};
  double err_ratio{};
  Origin origin{};
  std::string line{};  // the line of the file that it was read from; written back unchanged

  bool operator==(const TunedRow&) const = default;
};

/// What Origin::library says of a family in this version: "onednn 3.7.1". The hash of a build ("1, build 3fa81c02") is
/// left out: tables are used by other builds, and a row is not outdated because another compiler built its kernel.
std::string library_text(std::string_view family, std::string_view version);

TunedRow tuned_row(const Problem& problem, const Evaluation& evaluation, const std::string& gfx, std::int64_t cu_num);

/// AITER's splitK column: 0 for unsplit; the number of splits in bf16 tables, its base-2 logarithm (rounded down) in
/// all others.
std::int64_t split_k_column(const Problem& problem, std::int64_t split_k);

/// Whether the row has a time. AITER's tables have placeholders with 0, and failures with -1, inf and nan.
bool has_time(const TunedRow& row);

/// Whether its error ratio is one: the ratio of a kernel whose results could not be compared is infinite, nan or below
/// 0.
bool has_error_ratio(const TunedRow& row);

}  // namespace gemmtune
