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

/// AITER's block-scaled BMM is the only batched kernel whose lookup pads M.
bool has_block_scales(const Problem& p) noexcept {
  return p.a.scaling == Scaling::block_1x128 && p.w.scaling == Scaling::block_128x128;
}

/// Formats are named without saying which FP8 a device has. It has one of the two, so its rows are of that one.
bool is_packed_fp8(const Problem& p) noexcept {
  return p.packed && (p.w.type == DType::e4m3 || p.w.type == DType::e4m3fnuz) && p.w.scaling == Scaling::row;
}

Problem with_other_fp8(Problem p) noexcept {
  p.a.type = p.w.type = p.w.type == DType::e4m3 ? DType::e4m3fnuz : DType::e4m3;
  return p;
}

Answer by_rule(const Problem& problem, const DeviceKey& device) noexcept {
  return {.match = MatchKind::fallback, .choice = fallback_for(problem, device)};
}

}  // namespace

bool pads_m(const Problem& problem) noexcept { return problem.batch == 1 || has_block_scales(problem); }

Answer TableIndex::lookup(const Problem& problem, const DeviceKey& device) const& noexcept {
  const auto groups = groups_for(problem, device);
  std::optional<Answer> best;
  for (std::size_t i = 0; i < groups.count && !(best && best->match == MatchKind::exact); ++i)
    if (auto answer = find(groups.members[i], problem); answer && (!best || answer->match < best->match)) best = answer;
  return best ? *best : by_rule(problem, device);
}

/// Gives the same answer as try_level() level by level, without looking for the same M twice.
std::optional<Answer> TableIndex::find(const Groups::Member& member, const Problem& problem) const noexcept {
  const auto& group = *member.group;
  const auto m = problem.m;
  if (const auto* row = row_at(group, m)) return answer_of(MatchKind::exact, *row, m);
  if (!member.pads) return std::nullopt;
  const auto fine = padded_fine(m);
  if (const auto* row = fine == m ? nullptr : row_at(group, fine)) return answer_of(MatchKind::padded_fine, *row, m);
  const auto coarse = padded_coarse(m, problem.n);
  if (const auto* row = coarse == m || coarse == fine ? nullptr : row_at(group, coarse))
    return answer_of(MatchKind::padded_coarse, *row, m);
  if (const auto* row = nearest(group, m)) return answer_of(MatchKind::nearest, *row, m);
  return std::nullopt;
}

std::optional<Answer> TableIndex::try_level(MatchKind level, const Problem& problem,
                                            const DeviceKey& device) const& noexcept {
  if (level == MatchKind::fallback) return std::nullopt;
  const auto groups = groups_for(problem, device);
  for (std::size_t i = 0; i < groups.count; ++i) {
    const auto& [group, pads] = groups.members[i];
    if (level != MatchKind::exact && !pads) continue;
    if (const auto* row = row_of(level, *group, problem)) return answer_of(level, *row, problem.m);
  }
  return std::nullopt;
}

const TableIndex::Row* TableIndex::row_of(MatchKind level, const RowGroup& group,
                                          const Problem& problem) const noexcept {
  const auto m = problem.m;
  switch (level) {
    case MatchKind::exact:
      return row_at(group, m);
    case MatchKind::padded_fine:
      return row_at(group, padded_fine(m));
    case MatchKind::padded_coarse:
      return row_at(group, padded_coarse(m, problem.n));
    case MatchKind::nearest:
      return nearest(group, m);
    case MatchKind::fallback:
      break;
  }
  return nullptr;
}

TableIndex::Groups TableIndex::groups_for(const Problem& problem, const DeviceKey& device) const noexcept {
  Groups groups;
  if (!has_sizes_of_rows(problem)) return groups;
  const auto add = [&](const DeviceKey& key, bool is_batched) {
    if (const auto* group = group_for(problem, key, is_batched))
      groups.members[groups.count++] = {group, !is_batched || has_block_scales(problem)};
  };
  const bool is_batch = problem.batch > 1;
  const bool is_one = !is_batch && has_batch_of_one_;
  add(device, is_batch);
  if (is_one) add(device, true);
  if (!has_any_count_ || device.cu_num == 0) return groups;
  add(with_any_count(device), is_batch);
  if (is_one) add(with_any_count(device), true);
  return groups;
}

const RowGroup* TableIndex::group_for(const Problem& problem, const DeviceKey& device, bool is_batched) const noexcept {
  const auto* group = groups_.find(lookup_key(problem, device, is_batched));
  if (group == nullptr && has_tensor_scales(problem))
    group = groups_.find(lookup_key(with_row_scales(problem), device, is_batched));
  if (group == nullptr && is_packed_fp8(problem))
    group = groups_.find(lookup_key(with_other_fp8(problem), device, is_batched));
  return group;
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
