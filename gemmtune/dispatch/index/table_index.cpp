#include "gemmtune/dispatch/index/table_index.h"

#include "gemmtune/dispatch/fallback.h"
#include "gemmtune/dispatch/index/lookup_key.h"
#include "gemmtune/table/padded_m.h"

namespace gemmtune {
namespace {

/// Rows of a8w8 tables are for scales per row, but the tables do not say so. They therefore also serve scales per
/// tensor, unless there are rows for exactly these.
bool has_tensor_scales(const Problem& p) noexcept {
  return p.a.scaling == Scaling::tensor && p.w.scaling == Scaling::tensor;
}

Problem with_row_scales(Problem p) noexcept {
  p.a.scaling = p.w.scaling = Scaling::row;
  return p;
}

Answer by_rule(const Problem& problem, const DeviceKey& device) noexcept {
  return {.match = MatchKind::fallback, .choice = fallback_for(problem, device)};
}

}  // namespace

Answer TableIndex::lookup(const Problem& problem, const DeviceKey& device) const& noexcept {
  const auto* group = group_for(problem, device);
  if (group == nullptr) return by_rule(problem, device);
  return find(*group, problem, device);
}

/// Gives the same answer as try_level() level by level, without looking for the same M twice.
Answer TableIndex::find(const RowGroup& group, const Problem& problem, const DeviceKey& device) const noexcept {
  const auto m = problem.m;
  if (const auto* row = row_at(group, m)) return answer_of(MatchKind::exact, *row, m);
  if (problem.batch > 1) return by_rule(problem, device);
  const auto fine = padded_fine(m);
  if (const auto* row = fine == m ? nullptr : row_at(group, fine)) return answer_of(MatchKind::padded_fine, *row, m);
  const auto coarse = padded_coarse(m, problem.n);
  if (const auto* row = coarse == m || coarse == fine ? nullptr : row_at(group, coarse))
    return answer_of(MatchKind::padded_coarse, *row, m);
  if (const auto* row = nearest(group, m)) return answer_of(MatchKind::nearest, *row, m);
  return by_rule(problem, device);
}

std::optional<Answer> TableIndex::try_level(MatchKind level, const Problem& problem,
                                            const DeviceKey& device) const& noexcept {
  const auto* group = group_for(problem, device);
  if (group == nullptr || level == MatchKind::fallback) return std::nullopt;
  if (problem.batch > 1 && level != MatchKind::exact) return std::nullopt;
  const auto m = problem.m;
  const auto* row = level == MatchKind::exact           ? row_at(*group, m)
                    : level == MatchKind::padded_fine   ? row_at(*group, padded_fine(m))
                    : level == MatchKind::padded_coarse ? row_at(*group, padded_coarse(m, problem.n))
                                                        : nearest(*group, m);
  return row == nullptr ? std::nullopt : std::optional(answer_of(level, *row, m));
}

const RowGroup* TableIndex::group_for(const Problem& problem, const DeviceKey& device) const noexcept {
  if (!has_sizes_of_rows(problem)) return nullptr;
  const auto* group = groups_.find(lookup_key(problem, device));
  if (group != nullptr || !has_tensor_scales(problem)) return group;
  return groups_.find(lookup_key(with_row_scales(problem), device));
}

/// The group's first row whose M is not less than `m`, or the group's end. No branch depends on the rows.
std::uint32_t TableIndex::lower_bound(const RowGroup& group, std::int64_t m) const noexcept {
  const auto [begin, end] = group.octave_of(m);
  const auto* first = rows_.data() + group.first + begin;
  for (auto left = end - begin; left > 0;) {
    const auto half = (left + 1) / 2;
    first += first[half - 1].m < m ? half : 0;
    left -= half;
  }
  return static_cast<std::uint32_t>(first - rows_.data());
}

const TableIndex::Row* TableIndex::row_at(const RowGroup& group, std::int64_t m) const noexcept {
  const auto at = lower_bound(group, m);
  return at < group.first + group.count && rows_[at].m == m ? &rows_[at] : nullptr;
}

const TableIndex::Row* TableIndex::nearest(const RowGroup& group, std::int64_t m) const noexcept {
  const auto at = lower_bound(group, m);
  const auto factor = rules_.nearest_factor;
  const auto* above = at < group.first + group.count && rows_[at].m <= m * factor ? &rows_[at] : nullptr;
  const auto* below = at > group.first && m <= rows_[at - 1].m * factor ? &rows_[at - 1] : nullptr;
  if (factor <= 1) return nullptr;
  if (above == nullptr || below == nullptr) return above == nullptr ? below : above;
  return m * m >= std::int64_t{below->m} * above->m ? above : below;
}

Answer TableIndex::answer_of(MatchKind match, const Row& row, std::int64_t m) const noexcept {
  const std::int64_t tuned_m = row.m;
  const bool is_scaled = m > tuned_m;
  return {.match = match,
          .tuned_m = tuned_m,
          .choice = &choices_[row.best],
          .runner_up = row.runner_up == none ? nullptr : &choices_[row.runner_up],
          .expected_us = is_scaled ? row.time_us * static_cast<double>(m) / static_cast<double>(tuned_m) : row.time_us,
          .is_scaled = is_scaled};
}

}  // namespace gemmtune
