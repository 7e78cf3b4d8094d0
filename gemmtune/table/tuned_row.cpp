#include "gemmtune/table/tuned_row.h"

#include <bit>
#include <cmath>

#include "gemmtune/gemm/format.h"

namespace gemmtune {

std::int64_t split_k_column(const Problem& problem, std::int64_t split_k) {
  if (split_k <= 1) return 0;
  if (format_of(problem) == Format::a16w16) return split_k;
  return std::bit_width(static_cast<std::uint64_t>(split_k)) - 1;
}

std::string library_text(std::string_view family, std::string_view version) {
  return std::string(family) + ' ' + std::string(version.substr(0, version.find(", build ")));
}

TunedRow tuned_row(const Problem& problem, const Evaluation& evaluation, const std::string& gfx, std::int64_t cu_num) {
  const auto& candidate = evaluation.candidate;
  return {.gfx = gfx,
          .cu_num = cu_num,
          .problem = problem,
          .libtype = candidate.family,
          .kernel_id = candidate.library_id,
          .split_k = split_k_column(problem, candidate.split_k),
          .time_us = evaluation.timing.median_us,
          .kernel_name = candidate.name,
          .err_ratio = evaluation.accuracy.err_ratio,
          .origin = {.low_us = evaluation.timing.low_us,
                     .high_us = evaluation.timing.high_us,
                     .dispersion = evaluation.timing.dispersion,
                     .samples = evaluation.timing.sample_count}};
}

bool has_time(const TunedRow& row) { return std::isfinite(row.time_us) && row.time_us > 0; }

bool has_error_ratio(const TunedRow& row) { return std::isfinite(row.err_ratio) && row.err_ratio >= 0; }

}  // namespace gemmtune
