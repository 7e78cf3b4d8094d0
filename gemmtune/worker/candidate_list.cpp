#include "gemmtune/worker/candidate_list.h"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/core/visible.h"
#include "gemmtune/worker/json_fields.h"
#include "gemmtune/worker/messages.h"
#include "gemmtune/worker/quote.h"

namespace gemmtune {

using nlohmann::json;

namespace {

constexpr std::size_t longest_name = 500;
constexpr std::int64_t largest_split_k = std::int64_t{1} << 31;

/// Why the text is no name, or "". Readers of CSV drop blanks at its ends, so that it would not be found again.
std::string why_no_name(const std::string& text) {
  if (text.empty()) return "empty";
  if (text.size() > longest_name)
    return fmt::format("{} bytes long, at most {} are allowed", text.size(), longest_name);
  if (!is_visible(text)) return "has characters that cannot be printed: " + quote(text);
  return trim(text) == text ? "" : "has blanks at an end: " + quote(text);
}

std::string why_unusable(const Candidate& candidate) {
  if (const auto why = why_no_name(candidate.family); !why.empty()) return "family: " + why;
  if (const auto why = why_no_name(candidate.name); !why.empty()) return "name: " + why;
  for (const Param& param : candidate.params)
    if (!is_visible(param.key) || !is_visible(param.value))
      return "params: have characters that cannot be printed: " + quote(param.key + "=" + param.value);
  if (candidate.split_k < 1 || candidate.split_k > largest_split_k)
    return fmt::format("split_k: expected 1 to {}, found {}", largest_split_k, candidate.split_k);
  if (candidate.library_id < -1) return fmt::format("library_id: expected at least -1, found {}", candidate.library_id);
  return "";
}

/// Two names stay two: nothing is trimmed.
Candidate shown(Candidate candidate) {
  candidate.family = visible(candidate.family);
  candidate.name = visible(candidate.name);
  for (Param& param : candidate.params) param = {visible(param.key), visible(param.value)};
  return candidate;
}

}  // namespace

std::vector<ListedCandidate> listed_candidates(const json& reply) {
  std::vector<ListedCandidate> listed;
  std::set<Candidate> seen;
  for (const json& value : JsonFields(reply, "candidates").array("candidates")) {
    const Candidate candidate = candidate_from_json(value);
    if (!seen.insert(candidate).second)
      fail(ErrorCode::protocol, "candidates: {} is named twice", quote(candidate.name));
    const std::string why = why_unusable(candidate);
    listed.push_back({.candidate = why.empty() ? candidate : shown(candidate),
                      .why_unusable = why.empty() ? "" : fmt::format("candidates[{}].{}", listed.size(), why)});
  }
  return listed;
}

}  // namespace gemmtune
