#include "gemmtune/table/triton/triton_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <unordered_map>
#include <utility>

#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

constexpr std::array<std::int64_t, 13> default_bounds{1, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192};
constexpr std::array<std::int64_t, 13> preshuffled_fp4_bounds{4,   8,   16,   31,   32,   64,  128,
                                                              256, 512, 1024, 2048, 4096, 8192};
constexpr std::array<std::int64_t, 13> batched_fp4_bounds{4, 8, 16, 32, 64, 128, 256, 320, 512, 1024, 2048, 4096, 8192};
constexpr std::array<std::int64_t, 5> gated_bounds{64, 128, 256, 512, 2048};
constexpr std::array<std::int64_t, 4> feed_forward_bounds{4, 8, 64, 4096};

struct OwnBounds {
  std::string_view family;  // triton_family()
  std::span<const std::int64_t> bounds;
};

/// AITER's kernels that pass bounds to get_gemm_config().
constexpr std::array<OwnBounds, 4> own_bounds{{{"gemm_afp4wfp4_preshuffled", preshuffled_fp4_bounds},
                                               {"batched_gemm_afp4wfp4", batched_fp4_bounds},
                                               {"gemm_a16w16_gated", gated_bounds},
                                               {"ff_a16w16_fused", feed_forward_bounds}}};

struct Tile {
  std::string_view m;
  std::string_view n;
};

/// Of Gluon's block-scaled kernel on gfx950.
constexpr std::array<Tile, 3> gluon_tiles{{{"64", "128"}, {"128", "128"}, {"128", "256"}}};
constexpr std::array<std::string_view, 4> keys_words{"bounds", "sizes", "categories", "ranges"};  // of TritonKeys

constexpr std::int64_t largest_m = std::int64_t{1} << 30;

std::int64_t next_power_of_two(std::int64_t m) {
  return m <= 1 ? 1 : static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(m)));
}

/// The number after a prefix: 64 in M_LEQ_64.
std::optional<std::int64_t> number_after(std::string_view key, std::string_view prefix) {
  if (!key.starts_with(prefix)) return std::nullopt;
  const auto number = parse_int(key.substr(prefix.size()));
  return number && *number >= 0 && *number <= largest_m ? number : std::nullopt;
}

/// The range of a key such as M_33_64.
std::optional<ServedRange> closed_range(std::string_view key) {
  const auto pieces = split(key, '_');
  if (pieces.size() != 3 || pieces[0] != "M") return std::nullopt;
  const auto from = parse_int(pieces[1]);
  const auto to = parse_int(pieces[2]);
  if (!from || !to || *from < 0 || *from > *to || *to > largest_m) return std::nullopt;
  return ServedRange{*from, *to};
}

bool is_bound_key(std::string_view key) { return number_after(key, "M_LEQ_") || number_after(key, "M_GEQ_"); }

bool is_size_key(std::string_view key) {
  return key == "small" || key == "large" || key == "xlarge" || number_after(key, "small_M") ||
         number_after(key, "medium_M") || number_after(key, "xlarge_M");
}

/// The range of M that M_LT_x, M_EQ_x or M_a_b names. Empty for `default` and for keys that name no range.
std::optional<ServedRange> named_range(std::string_view key) {
  if (const auto below = number_after(key, "M_LT_")) return ServedRange{1, std::max<std::int64_t>(*below - 1, 0)};
  if (const auto equal = number_after(key, "M_EQ_")) return ServedRange{*equal, *equal};
  return closed_range(key);
}

bool is_bucket_key(std::string_view key) {
  return key == "any" || key == "default" || is_bound_key(key) || is_size_key(key) || named_range(key).has_value();
}

std::vector<std::string> bound_keys(std::int64_t m, std::span<const std::int64_t> bounds) {
  std::vector<std::string> keys;
  for (const auto bound : bounds)
    if (m <= bound) keys.push_back(fmt::format("M_LEQ_{}", bound));
  for (auto bound = bounds.rbegin(); bound != bounds.rend(); ++bound)
    if (m >= *bound) keys.push_back(fmt::format("M_GEQ_{}", *bound));
  keys.emplace_back("any");
  return keys;
}

std::vector<std::string> size_keys(std::int64_t m) {
  const auto power = next_power_of_two(m);
  if (m < 32)
    return power <= 16 ? std::vector<std::string>{"small_M16", "small", "any"}
                       : std::vector<std::string>{"small", "any"};
  if (m <= 128) return {fmt::format("medium_M{}", power), "any"};
  if (m <= 256) return {"large", "any"};
  return {fmt::format("xlarge_M{}", power), "xlarge", "any"};
}

/// The keys of the one kernel whose bounds differ.
std::vector<std::string> range_keys(std::int64_t m) {
  if (m < 32) return {"M_LT_32", "default"};
  if (m == 32) return {"M_EQ_32", "default"};
  if (m <= 64) return {"M_33_64", "default"};
  if (m <= 128) return {"M_65_128", "default"};
  if (m <= 256) return {"M_129_256", "default"};
  return {"default"};
}

bool is_config(const TritonEntry& entry) { return entry.other.empty(); }

std::string_view param_of(const TritonEntry& entry, std::string_view key) {
  const auto found = std::ranges::find(entry.params, key, &Param::key);
  return found != entry.params.end() ? std::string_view(found->value) : std::string_view();
}

std::vector<std::int64_t> bounds_with_code(const TritonFile& file) {
  std::vector<std::int64_t> bounds;
  for (const auto& entry : file.entries) {
    const auto bound = number_after(entry.key, "M_LEQ_");
    const auto has_code = [&](const Tile& tile) {
      return tile.m == param_of(entry, "BLOCK_SIZE_M") && tile.n == param_of(entry, "BLOCK_SIZE_N");
    };
    if (bound && std::ranges::any_of(gluon_tiles, has_code)) bounds.push_back(*bound);
  }
  std::ranges::sort(bounds);
  return bounds;
}

/// The configurations of a file by their keys, for many lookups.
class Lookup {
 public:
  Lookup(const TritonFile& file, std::span<const std::int64_t> bounds) : keys_(keys_of(file)), bounds_(bounds) {
    for (std::size_t i = 0; i < file.entries.size(); ++i)
      if (is_config(file.entries[i])) entries_.emplace(file.entries[i].key, i);
  }

  std::optional<TritonMatch> at(std::int64_t m) const {
    for (const auto& key : keys_tried(keys_, m, bounds_))
      if (const auto found = entries_.find(key); found != entries_.end())
        return TritonMatch{found->second, key != "any" && key != "default"};
    return std::nullopt;
  }

 private:
  TritonKeys keys_;
  std::span<const std::int64_t> bounds_;
  std::unordered_map<std::string_view, std::size_t> entries_;
};

/// Every M at which the answer may change: just below, at and just above each number in a key or a rule.
std::set<std::int64_t> turning_points(const TritonFile& file, std::span<const std::int64_t> bounds) {
  std::set<std::int64_t> numbers{1, 256};
  for (std::int64_t power = 1; power <= largest_m; power *= 2) numbers.insert(power);
  numbers.insert(bounds.begin(), bounds.end());
  for (const auto& entry : file.entries)
    for (const auto piece : split(entry.key, '_')) {
      const auto number = parse_int(piece.starts_with('M') ? piece.substr(1) : piece);
      if (number && *number > 0 && *number <= largest_m) numbers.insert(*number);
    }
  std::set<std::int64_t> points;
  for (const auto number : numbers)
    for (const auto point : {number - 1, number, number + 1})
      if (point > 0) points.insert(point);
  return points;
}

}  // namespace

std::string_view to_string(TritonKeys keys) { return keys_words.at(static_cast<std::size_t>(keys)); }

std::string triton_keys_words() {
  return fmt::format("{} or {}", fmt::join(keys_words.begin(), keys_words.end() - 1, ", "), keys_words.back());
}

std::optional<TritonKeys> parse_triton_keys(std::string_view text) {
  const auto* word = std::ranges::find(keys_words, text);
  if (word == keys_words.end()) return std::nullopt;
  return static_cast<TritonKeys>(word - keys_words.begin());
}

TritonKeys keys_of(const TritonFile& file) {
  for (const auto& [key, params, other] : file.entries) {
    if (is_bound_key(key)) return TritonKeys::bounds;
    if (is_size_key(key)) return TritonKeys::sizes;
    if (named_range(key) || key == "default") return TritonKeys::ranges;
  }
  return TritonKeys::bounds;
}

std::span<const std::int64_t> bounds_of(const TritonName& name) {
  const auto own = std::ranges::find(own_bounds, triton_family(name), &OwnBounds::family);
  return own != own_bounds.end() ? own->bounds : std::span<const std::int64_t>(default_bounds);
}

std::vector<std::int64_t> bounds_of(const TritonName& name, const TritonFile& file) {
  const bool has_own_walk =
      name.backend == "gluon" && name.device == "gfx950" && triton_family(name) == "gemm_a8w8_blockscale";
  if (has_own_walk) return bounds_with_code(file);
  const auto bounds = bounds_of(name);
  return {bounds.begin(), bounds.end()};
}

std::vector<std::string> keys_tried(TritonKeys keys, std::int64_t m, std::span<const std::int64_t> bounds) {
  switch (keys) {
    case TritonKeys::bounds:
      return bound_keys(m, bounds);
    case TritonKeys::sizes:
    case TritonKeys::categories:
      return size_keys(m);
    case TritonKeys::ranges:
      return range_keys(m);
  }
  return {};
}

std::string bucket_key(TritonKeys keys, std::int64_t m, std::span<const std::int64_t> bounds) {
  if (keys == TritonKeys::bounds && (bounds.empty() || m > bounds.back())) return "any";
  const auto tried = keys_tried(keys, m, bounds);
  if (keys == TritonKeys::categories && m > 256) return "xlarge";
  const bool has_sizes = keys == TritonKeys::sizes || keys == TritonKeys::categories;
  return has_sizes && m <= 16 ? "small" : tried.front();
}

std::optional<TritonMatch> config_for(const TritonFile& file, std::int64_t m, std::span<const std::int64_t> bounds) {
  return Lookup(file, bounds).at(m);
}

std::vector<std::optional<ServedRange>> served_ranges(const TritonFile& file, std::span<const std::int64_t> bounds) {
  std::vector<std::optional<ServedRange>> ranges(file.entries.size());
  std::optional<std::size_t> serving;
  const Lookup lookup(file, bounds);
  for (const auto m : turning_points(file, bounds)) {
    const auto match = lookup.at(m);
    const bool goes_on = match && serving == match->entry;
    if (serving && !goes_on) ranges[*serving]->to = m - 1;
    if (match && !goes_on) ranges[match->entry] = ServedRange{m, 0};
    serving = match ? std::optional(match->entry) : std::nullopt;
  }
  return ranges;
}

std::optional<std::int64_t> first_unserved(const TritonFile& file, std::span<const std::int64_t> bounds) {
  const Lookup lookup(file, bounds);
  for (const auto m : turning_points(file, bounds))
    if (!lookup.at(m)) return m;
  return std::nullopt;
}

std::set<std::string> keys_asked(const TritonFile& file, std::span<const std::int64_t> bounds) {
  std::set<std::string> asked;
  const auto keys = keys_of(file);
  for (const auto m : turning_points(file, bounds))
    for (auto& key : keys_tried(keys, m, bounds)) asked.insert(std::move(key));
  return asked;
}

std::string why_unreachable(const TritonFile& file, std::size_t entry, std::span<const std::int64_t> bounds,
                            const std::set<std::string>& asked) {
  const auto& [key, params, other] = file.entries[entry];
  if (!other.empty()) return "its value is no configuration";
  if (!is_bucket_key(key)) return "it is the name of no bucket";
  const auto bound = number_after(key, key.starts_with("M_GEQ_") ? "M_GEQ_" : "M_LEQ_");
  if (keys_of(file) == TritonKeys::bounds && bound && std::ranges::find(bounds, *bound) == bounds.end())
    return fmt::format("{} is not one of the bounds that lookups use ({})", *bound,
                       bounds.empty() ? "none" : fmt::format("{}", fmt::join(bounds, ", ")));
  return asked.contains(key)
             ? "other buckets take every M of it"
             : fmt::format("lookups in a file with keys of this kind ({}) never try it", to_string(keys_of(file)));
}

}  // namespace gemmtune
