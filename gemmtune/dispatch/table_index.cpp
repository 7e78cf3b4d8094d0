#include "gemmtune/dispatch/table_index.h"

#include "gemmtune/dispatch/fallback.h"
#include "gemmtune/dispatch/lookup_key.h"
#include "gemmtune/table/padded_m.h"

namespace gemmtune {
namespace {

/// Rows of a8w8 tables are for scales per row, but tables do not say so: they serve scales per tensor as well, unless
/// there are rows for just these.
bool has_tensor_scales(const Problem& p) noexcept {
  return p.a.scaling == Scaling::tensor && p.w.scaling == Scaling::tensor;
}

Problem with_row_scales(Problem p) noexcept {
  p.a.scaling = p.w.scaling = Scaling::row;
  return p;
}

}  // namespace

Answer TableIndex::lookup(const Problem& problem, const DeviceKey& device) const noexcept {
  const auto hit = find(rows_for(problem, device), problem);
  if (hit.at != none) return answer_of(hit, problem.m);
  return {.match = MatchKind::fallback, .choice = fallback_for(problem, device)};
}

std::optional<Answer> TableIndex::try_level(MatchKind level, const Problem& problem,
                                            const DeviceKey& device) const noexcept {
  const auto hit = find_at(level, rows_for(problem, device), problem);
  return hit.at == none ? std::nullopt : std::optional(answer_of(hit, problem.m));
}

RowRange TableIndex::rows_for(const Problem& problem, const DeviceKey& device) const noexcept {
  if (!has_sizes_of_rows(problem)) return {};
  const auto rows = groups_.find(lookup_key(problem, device));
  if (rows.count != 0 || !has_tensor_scales(problem)) return rows;
  return groups_.find(lookup_key(with_row_scales(problem), device));
}

TableIndex::Hit TableIndex::find(RowRange rows, const Problem& problem) const noexcept {
  if (rows.count == 0) return {};
  for (const auto level : {MatchKind::exact, MatchKind::padded_fine, MatchKind::padded_coarse})
    if (const auto hit = find_at(level, rows, problem); hit.at != none) return hit;
  return find_at(MatchKind::nearest, rows, problem);
}

TableIndex::Hit TableIndex::find_at(MatchKind level, RowRange rows, const Problem& problem) const noexcept {
  const bool only_exact = problem.batch > 1;
  switch (level) {
    case MatchKind::exact:
      return hit_at(level, rows, problem.m);
    case MatchKind::padded_fine:
      return only_exact ? Hit{} : hit_at(level, rows, padded_fine(problem.m));
    case MatchKind::padded_coarse:
      return only_exact ? Hit{} : hit_at(level, rows, padded_coarse(problem.m, problem.n));
    case MatchKind::nearest:
      return only_exact ? Hit{} : nearest(rows, problem.m);
    case MatchKind::fallback:
      break;
  }
  return {};
}

/// The first of these rows whose M is not below `m`, or their end. Without branches that depend on what is found.
std::uint32_t TableIndex::lower_bound(RowRange rows, std::int64_t m) const noexcept {
  const auto* first = tuned_m_.data() + rows.first;
  for (auto left = rows.count; left > 0;) {
    const auto half = (left + 1) / 2;
    first += first[half - 1] < m ? half : 0;
    left -= half;
  }
  return static_cast<std::uint32_t>(first - tuned_m_.data());
}

TableIndex::Hit TableIndex::hit_at(MatchKind match, RowRange rows, std::int64_t m) const noexcept {
  const auto at = lower_bound(rows, m);
  return at < rows.first + rows.count && tuned_m_[at] == m ? Hit{match, at} : Hit{};
}

TableIndex::Hit TableIndex::nearest(RowRange rows, std::int64_t m) const noexcept {
  const auto above = lower_bound(rows, m);
  const bool has_above = above < rows.first + rows.count && tuned_m_[above] <= m * rules_.nearest_factor;
  const bool has_below = above > rows.first && m <= tuned_m_[above - 1] * rules_.nearest_factor;
  if (rules_.nearest_factor <= 1 || !(has_above || has_below)) return {};
  if (!has_below) return {MatchKind::nearest, above};
  const bool is_upper_nearer = has_above && m * m >= std::int64_t{tuned_m_[above - 1]} * tuned_m_[above];
  return {MatchKind::nearest, is_upper_nearer ? above : above - 1};
}

Answer TableIndex::answer_of(Hit hit, std::int64_t m) const noexcept {
  const auto& served = served_[hit.at];
  const std::int64_t tuned_m = tuned_m_[hit.at];
  const auto& choice = choices_[served.best];
  const bool is_scaled = m > tuned_m;
  const auto scale = is_scaled ? static_cast<double>(m) / static_cast<double>(tuned_m) : 1.0;
  return {.match = hit.match,
          .tuned_m = tuned_m,
          .choice = &choice,
          .runner_up = served.runner_up == none ? nullptr : &choices_[served.runner_up],
          .expected_us = choice.time_us * scale,
          .is_scaled = is_scaled};
}

}  // namespace gemmtune
