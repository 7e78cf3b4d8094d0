// Converts rows to configuration files: buckets, `any`, and the default file.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "gemmtune/table/triton/triton_rows.h"

namespace gemmtune {
namespace {

struct Bucket {
  std::string key{};
  const TritonRow* row{};
};

std::string_view last_resort(TritonKeys keys) { return keys == TritonKeys::ranges ? "default" : "any"; }

/// Whether `a` is the better row for a bucket. A bucket's row is used for all M up to the bucket's bound, so the row
/// nearest to the bound is the better one.
bool serves_better(const TritonRow& a, const TritonRow& b) {
  if (a.m != b.m) return a.m > b.m;
  if ((a.time_us > 0) != (b.time_us > 0)) return a.time_us > 0;
  return a.time_us < b.time_us;
}

class FileMaker {
 public:
  FileMaker(TritonName name, TritonKeys keys) : keys_(keys) { result_.name = std::move(name); }

  void add(const TritonRow& row) {
    const auto bounds = bounds_of(result_.name);
    auto key = row.bucket.empty() ? bucket_key(keys_, row.m, bounds) : row.bucket;
    const auto [place, is_new] = places_.emplace(key, buckets_.size());
    if (is_new) {
      buckets_.push_back({std::move(key), &row});
      return;
    }
    auto* same = &buckets_[place->second];
    const auto* loser = serves_better(row, *same->row) ? std::exchange(same->row, &row) : &row;
    left_out_.push_back({loser->where, fmt::format("M={} shares {} with M={} of {}, which serves it", loser->m, key,
                                                   same->row->m, same->row->where)});
  }

  NamedTritonFile file() const {
    auto made = result_;
    for (const auto& [key, row] : buckets_) made.file.entries.push_back({.key = key, .params = row->params});
    const bool only_keys =
        std::ranges::none_of(buckets_, [](const Bucket& bucket) { return bucket.row->bucket.empty(); });
    if (only_keys) return made;  // the rows come from a file, which may lack `any`
    const auto resort = last_resort(keys_);
    if (!places_.contains(std::string(resort)))
      made.file.entries.push_back({.key = std::string(resort), .params = largest().params});
    return made;
  }

  const std::vector<LeftOut>& left_out() const { return left_out_; }

 private:
  const TritonRow& largest() const {
    return *std::ranges::max_element(buckets_, {}, [](const Bucket& bucket) { return bucket.row->m; })->row;
  }

  TritonKeys keys_;
  NamedTritonFile result_;
  std::vector<Bucket> buckets_;
  std::unordered_map<std::string, std::size_t> places_;  // of the keys in buckets_
  std::vector<LeftOut> left_out_;
};

using Configs = std::map<std::vector<Param>, int>;

const std::vector<Param>& most_common(const Configs& configs) {
  return std::ranges::max_element(configs, {}, [](const auto& config) { return config.second; })->first;
}

/// The most common configuration in each bucket; for `any`, all configurations of all files count.
NamedTritonFile default_file(const TritonName& name, const std::vector<const NamedTritonFile*>& special) {
  std::vector<std::pair<std::string, Configs>> buckets;
  std::unordered_map<std::string, std::size_t> places;
  const auto counts = [&](const std::string& key) -> Configs& {
    const auto [place, is_new] = places.emplace(key, buckets.size());
    if (is_new) buckets.emplace_back(key, Configs{});
    return buckets[place->second].second;
  };
  for (const auto* named : special)
    for (const auto& entry : named->file.entries) ++counts(entry.key)[entry.params];
  NamedTritonFile made{.name = name};
  for (const auto& [key, configs] : buckets) made.file.entries.push_back({.key = key, .params = most_common(configs)});
  return made;
}

/// The files that share a default file, in the order of their names.
using Families = std::map<TritonName, std::vector<const NamedTritonFile*>>;

Families families_of(const std::vector<NamedTritonFile>& files) {
  Families families;
  for (const auto& file : files) families[without_sizes(file.name)].push_back(&file);
  return families;
}

/// Sorts by M. Rows of which only the bucket is known come last, in their order.
std::vector<TritonRow> by_m(std::vector<TritonRow> rows) {
  std::ranges::stable_sort(
      rows, [](const TritonRow& a, const TritonRow& b) { return (a.m == 0) != (b.m == 0) ? b.m == 0 : a.m < b.m; });
  return rows;
}

}  // namespace

TritonFiles triton_files(const std::vector<TritonRow>& rows, TritonKeys keys) {
  const auto sorted = by_m(rows);
  std::map<TritonName, FileMaker> makers;
  for (const auto& row : sorted) makers.try_emplace(row.name, row.name, keys).first->second.add(row);
  TritonFiles result;
  for (const auto& [name, maker] : makers) {
    result.files.push_back(maker.file());
    result.left_out.insert(result.left_out.end(), maker.left_out().begin(), maker.left_out().end());
  }
  std::vector<NamedTritonFile> defaults;
  for (const auto& [name, files] : families_of(result.files))
    if (!makers.contains(name)) defaults.push_back(default_file(name, files));
  result.files.insert(result.files.end(), defaults.begin(), defaults.end());
  std::ranges::sort(result.files, {}, &NamedTritonFile::name);
  return result;
}

}  // namespace gemmtune
