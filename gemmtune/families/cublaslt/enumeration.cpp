#include "gemmtune/families/cublaslt/enumeration.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <unordered_set>

#include "gemmtune/core/parallel.h"

namespace gemmtune::cublaslt {
namespace {

constexpr std::size_t ranked_in_all = 512;
constexpr std::size_t ranked_of_an_id = 64;
constexpr std::int64_t checks_of_a_piece = 128;  // takes less than a millisecond, and is worth starting a thread
constexpr std::int64_t entries_of_a_piece = 64;

constexpr std::array split_counts{2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32};
constexpr std::int64_t least_k_of_a_split = 128;
constexpr double most_waves_to_split = 2;  // with more waves, there is already work for every multiprocessor
constexpr unsigned in_place = 1;
constexpr unsigned in_compute_type = 2;
constexpr unsigned in_output_type = 4;

// A tile of an eighth of the largest size moves about √8 times as many operand bytes. That can pay only while the GPU
// is not full.
// beyond it.
constexpr double waves_of_a_full_gpu = 4;
constexpr double most_waves_over_least = 8;

/// The number of settings in which two configurations differ.
int distance(const AlgoConfig& a, const AlgoConfig& b) {
  const auto differs = [&](auto setting) { return a.*setting != b.*setting ? 1 : 0; };
  return differs(&AlgoConfig::id) + differs(&AlgoConfig::tile) + differs(&AlgoConfig::stages) +
         differs(&AlgoConfig::split_k) + differs(&AlgoConfig::reduction) + differs(&AlgoConfig::swizzle) +
         differs(&AlgoConfig::custom) + differs(&AlgoConfig::inner) + differs(&AlgoConfig::cluster);
}

bool fits_workspace(const Accepted& accepted) { return accepted.workspace_bytes <= large_workspace_bytes; }

/// Splits are for products with few tiles. Swizzling orders tiles for the cache, which only helps with more than one
/// wave.
bool may_split(const AlgoConfig& config, const Accepted& accepted) {
  return config.swizzle == 0 && fits_workspace(accepted) && accepted.waves <= most_waves_to_split;
}

struct Proposal {
  AlgoConfig config{};
  bool ranked{};
  std::optional<Accepted> known{};  // empty: the library must be asked
};

class Enumerator {
 public:
  Enumerator(const AlgoSource& source, const EnumeratedAlgos& known, const EnumerationLimits& limits)
      : source_(source), known_(known), limits_(limits) {}

  Enumeration run() {
    add(ranked({{.workspace_bytes = default_workspace_bytes, .most = 1}}));
    result_.has_first_choice = !result_.entries.empty();
    add(ranked(requests()));
    add(learnt());
    drop_small_tiles();
    nearest_first();
    keep_most();
    return std::move(result_);
  }

 private:
  void add(const std::vector<Proposal>& proposals) {
    const auto fresh = without_seen(proposals);
    const auto answers = parallel_map(fresh, checks_of_a_piece, [&](const Proposal& proposal) {
      return proposal.known ? proposal.known : source_.check(proposal.config);
    });
    result_.checks += std::ranges::count_if(fresh, [](const Proposal& proposal) { return !proposal.known; });
    for (std::size_t i = 0; i < fresh.size(); ++i)
      if (answers[i] && fits_workspace(*answers[i]))
        result_.entries.push_back({fresh[i].config, *answers[i], fresh[i].ranked});
  }

  std::vector<Proposal> without_seen(const std::vector<Proposal>& proposals) {
    std::vector<Proposal> fresh;
    for (const auto& proposal : proposals)
      if (seen_.insert(proposal.config).second) fresh.push_back(proposal);
    return fresh;
  }

  std::vector<RankRequest> requests() const {
    std::vector<RankRequest> requests{{.workspace_bytes = default_workspace_bytes, .most = ranked_in_all},
                                      {.workspace_bytes = large_workspace_bytes, .most = ranked_in_all}};
    for (const auto& [id, learnt] : known_)
      requests.push_back({.workspace_bytes = default_workspace_bytes, .most = ranked_of_an_id, .only_id = id});
    return requests;
  }

  std::vector<Proposal> ranked(const std::vector<RankRequest>& requests) const {
    const auto rankings =
        parallel_map(requests, 1, [&](const RankRequest& request) { return source_.ranked(request); });
    std::vector<Proposal> proposals;
    for (const auto& ranking : rankings)
      for (const auto& config : ranking) proposals.push_back({.config = config, .ranked = true});
    return proposals;
  }

  std::vector<Proposal> learnt() const {
    std::vector<Proposal> proposals;
    for (const auto& [id, learnt] : known_) {
      const auto capabilities = source_.capabilities(id);
      for (const auto& [config, accepted] : learnt.taken) {
        proposals.push_back({.config = config, .known = accepted});
        if (!capabilities || !capabilities->splits_k || !may_split(config, accepted)) continue;
        for (const auto& split : splits_of(config, capabilities->reductions)) proposals.push_back({.config = split});
      }
    }
    return proposals;
  }

  std::vector<AlgoConfig> splits_of(AlgoConfig config, unsigned reductions) const {
    std::vector<AlgoConfig> splits;
    for (const int count : split_counts) {
      if (limits_.k / count < least_k_of_a_split) break;
      config.split_k = count;
      for (const unsigned reduction : {in_place, in_compute_type, in_output_type}) {
        if ((reductions & reduction) == 0 || (reduction != in_compute_type && !limits_.fits_output)) continue;
        config.reduction = reduction;
        splits.push_back(config);
      }
    }
    return splits;
  }

  void drop_small_tiles() {
    double least = std::numeric_limits<double>::infinity();
    for (const auto& entry : result_.entries)
      if (entry.accepted.waves > 0 && entry.config.split_k == 1) least = std::min(least, entry.accepted.waves);
    std::erase_if(result_.entries, [&](const Entry& entry) {
      const double waves = entry.accepted.waves;
      return !entry.ranked && waves > waves_of_a_full_gpu && waves > most_waves_over_least * least;
    });
  }

  void nearest_first() {
    const auto first_other = std::ranges::find(result_.entries, false, &Entry::ranked);
    const std::span ranked(result_.entries.begin(), first_other);
    const std::span others(first_other, result_.entries.end());
    const auto nearest = [&](const Entry& entry) {
      int least = std::numeric_limits<int>::max();
      for (const auto& from : ranked) least = std::min(least, distance(entry.config, from.config));
      return std::pair(least, entry);
    };
    auto sorted = parallel_map(others, entries_of_a_piece, nearest);
    std::ranges::stable_sort(sorted, {}, &std::pair<int, Entry>::first);
    std::ranges::transform(sorted, first_other, &std::pair<int, Entry>::second);
  }

  void keep_most() {
    if (result_.entries.size() <= limits_.most) return;
    result_.entries.resize(limits_.most);
    result_.cut = true;
  }

  const AlgoSource& source_;
  const EnumeratedAlgos& known_;
  const EnumerationLimits& limits_;
  std::unordered_set<AlgoConfig, AlgoConfigHash> seen_;
  Enumeration result_;
};

}  // namespace

Enumeration enumerate(const AlgoSource& source, const EnumeratedAlgos& known, const EnumerationLimits& limits) {
  return Enumerator(source, known, limits).run();
}

}  // namespace gemmtune::cublaslt
