#include "gemmtune/dispatch/index/table_index_builder.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/table/error_ratio.h"
#include "gemmtune/table/sheet/known_columns.h"

namespace gemmtune {
namespace {

bool is_time(double time_us) { return std::isfinite(time_us) && time_us > 0; }

bool is_same_kernel(const Choice& a, const Choice& b) {
  return std::tie(a.libtype, a.kernel_name, a.split_k) == std::tie(b.libtype, b.kernel_name, b.split_k);
}

}  // namespace

TableIndexBuilder::TableIndexBuilder(BuildOptions options) : options_(std::move(options)) {
  // The product of M and the factor must fit in 64 bits.
  const auto factor = std::clamp<std::int64_t>(options_.rules.nearest_factor, 1, std::int64_t{1} << 30);
  index_.rules_.nearest_factor = factor;
}

void TableIndexBuilder::add(const TunedRow& row, const TableFamily& family, const RowOrigin& origin) {
  const bool batched = family.states_problems ? row.problem.batch > 1 : is_batched(family);
  const auto key = lookup_key(row.problem, device_of(row), batched);
  pending_.push_back({.group = group_of(key),
                      .m = static_cast<std::uint32_t>(row.problem.m),
                      .choice = static_cast<std::uint32_t>(index_.choices_.size()),
                      .is_wrong = !has_error_ratio(row) || row.err_ratio > error_limit(TableKind::gemm)});
  index_.has_any_count_ = index_.has_any_count_ || row.cu_num == 0;
  index_.has_batch_of_one_ = index_.has_batch_of_one_ || (batched && row.problem.batch == 1);
  auto& texts = index_.texts_;
  index_.choices_.push_back({.libtype = texts.keep(row.libtype),
                             .kernel_name = texts.keep(row.kernel_name),
                             .kernel_id = row.kernel_id,
                             .split_k = row.split_k,
                             .time_us = is_time(row.time_us) ? row.time_us : 0,
                             .source = texts.keep(origin.file),
                             .line = origin.line});
}

/// The number of the key's group. While rows are added, `first` of a group holds its number.
std::uint32_t TableIndexBuilder::group_of(const LookupKey& key) {
  const auto known = index_.groups_.size();
  auto& group = index_.groups_.at_or_new(key);
  if (index_.groups_.size() == known) return group.first;
  group.first = static_cast<std::uint32_t>(groups_.size());
  groups_.push_back(key);
  return group.first;
}

DeviceKey TableIndexBuilder::device_of(const TunedRow& row) {
  const auto gfx =
      row.gfx.empty() ? gfx_of_cu_num(row.cu_num, options_.live_gfx) : without_features(std::string_view(row.gfx));
  auto& devices = index_.devices_;
  const auto known =
      std::ranges::find_if(devices, [&](const auto& d) { return d.gfx == gfx && d.cu_num == row.cu_num; });
  if (known != devices.end()) {
    ++known->row_count;
    return device_keys_[static_cast<std::size_t>(known - devices.begin())];
  }
  const auto key = device_key(gfx, row.cu_num);
  if (std::ranges::find(device_keys_, key.id, &DeviceKey::id) != device_keys_.end())
    fail(ErrorCode::internal, "{} with {} units and another device have the same hash", gfx, row.cu_num);
  devices.push_back({.gfx = std::string(gfx), .cu_num = row.cu_num, .row_count = 1});
  device_keys_.push_back(key);
  return key;
}

TableIndex TableIndexBuilder::build() && {
  std::ranges::sort(pending_, [this](const Pending& a, const Pending& b) { return is_served_before(a, b); });
  index_.rows_.reserve(pending_.size());
  const Pending* last = nullptr;
  for (const auto& row : pending_) {
    if (last == nullptr || last->group != row.group || last->m != row.m)
      serve(row);
    else
      keep_as_runner_up(row);
    last = &row;
  }
  return std::move(index_);
}

bool TableIndexBuilder::is_served_before(const Pending& a, const Pending& b) const {
  const auto place = [](const Pending& row) { return std::uint64_t{row.group} << 32 | row.m; };
  if (place(a) != place(b)) return place(a) < place(b);
  const auto rank = [this](const Pending& row) {
    const auto time_us = index_.choices_[row.choice].time_us;
    return std::tuple(row.is_wrong, time_us == 0, time_us, row.choice);
  };
  return rank(a) < rank(b);
}

void TableIndexBuilder::serve(const Pending& row) {
  auto& group = index_.groups_.at_or_new(groups_[row.group]);
  if (group.count == 0) group.first = static_cast<std::uint32_t>(index_.rows_.size());
  group.count_row(row.m);
  index_.rows_.push_back({.m = row.m, .best = row.choice, .time_us = index_.choices_[row.choice].time_us});
}

void TableIndexBuilder::keep_as_runner_up(const Pending& row) {
  auto& serving = index_.rows_.back();
  const bool is_other = !is_same_kernel(index_.choices_[serving.best], index_.choices_[row.choice]);
  if (serving.runner_up == TableIndex::none && is_other) serving.runner_up = row.choice;
}

}  // namespace gemmtune
