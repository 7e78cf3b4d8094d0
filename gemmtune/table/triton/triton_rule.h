// Which configuration of a Triton file is used for a given M, in the order in which AITER's kernels search, and which
// keys no M can reach. Three vocabularies of keys have been in use:
//   bounds  M_LEQ_x with the smallest x >= M, then M_GEQ_x with the largest x <= M, then any. Only the bounds of a
//           fixed list are searched for; other bounds are silently dead.
//   sizes   small (M < 32; small_M16 up to 16 if it exists); medium_M32, medium_M64, medium_M128 by the next power of
//           two; large (M <= 256); xlarge_M<power of two> if it exists, or else xlarge; any if the key is missing.
//   ranges  M_LT_x, M_EQ_x, M_a_b, default.
// Files can also be written in the categories of AITER's guide: those of sizes, with one xlarge for all M above 256.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/table/triton/triton_json.h"
#include "gemmtune/table/triton/triton_name.h"

namespace gemmtune {

enum class TritonKeys : std::uint8_t { bounds, sizes, categories, ranges };

/// "bounds, sizes, categories or ranges"
std::string triton_keys_words();

std::string_view to_string(TritonKeys keys);
std::optional<TritonKeys> parse_triton_keys(std::string_view text);

/// Decided by the first key that belongs to only one vocabulary; bounds for a file that has only `any`. Files in
/// categories are in sizes.
TritonKeys keys_of(const TritonFile& file);

/// The bounds that a kernel asks for, ascending. Most kernels share one list; AITER passes lists of their own for
/// preshuffled MXFP4 (with 31, without 1), batched MXFP4 (with 320), gated bf16, and feed-forward layers in bf16.
std::span<const std::int64_t> bounds_of(const TritonName& name);

/// The same for a kernel that reads this file. Gluon's block-scaled kernel on gfx950 asks for the bounds that the file
/// has, and passes over those whose tile it has no code for.
std::vector<std::int64_t> bounds_of(const TritonName& name, const TritonFile& file);

/// The key for this M in a file of this vocabulary: M_LEQ_64 for 50. `any` above the largest bound.
std::string bucket_key(TritonKeys keys, std::int64_t m, std::span<const std::int64_t> bounds);

/// The keys in the order in which they are tried.
std::vector<std::string> keys_tried(TritonKeys keys, std::int64_t m, std::span<const std::int64_t> bounds);

struct TritonMatch {
  std::size_t entry{};  // index in the file
  bool tuned{};         // false for `any` and `default`

  bool operator==(const TritonMatch&) const = default;
};

/// The entry for this M. Empty if AITER fails with a KeyError.
std::optional<TritonMatch> config_for(const TritonFile& file, std::int64_t m, std::span<const std::int64_t> bounds);

/// The range of M, from - to, that an entry is used for. `to` is 0 if there is no end. If there are several ranges, the
/// last one.
struct ServedRange {
  std::int64_t from{};
  std::int64_t to{};

  bool operator==(const ServedRange&) const = default;
};

/// The range of each entry of the file. Empty for an entry that no M reaches.
std::vector<std::optional<ServedRange>> served_ranges(const TritonFile& file, std::span<const std::int64_t> bounds);

/// The smallest M that no entry covers.
std::optional<std::int64_t> first_unserved(const TritonFile& file, std::span<const std::int64_t> bounds);

/// Every key that a lookup in this file tries for some M.
std::set<std::string> keys_asked(const TritonFile& file, std::span<const std::int64_t> bounds);

/// Why no M reaches this entry, as text: it is a note, its bound is never searched for, or other buckets cover all of
/// its range. `asked` is keys_asked().
std::string why_unreachable(const TritonFile& file, std::size_t entry, std::span<const std::int64_t> bounds,
                            const std::set<std::string>& asked);

}  // namespace gemmtune
