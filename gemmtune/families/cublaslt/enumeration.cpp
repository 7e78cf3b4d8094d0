#include "gemmtune/families/cublaslt/enumeration.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

namespace gemmtune::cublaslt {
namespace {

constexpr std::size_t ranked_in_all = 512;
constexpr std::size_t ranked_of_an_id = 64;

constexpr std::array split_counts{2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32};
constexpr std::int64_t least_k_of_a_split = 128;
constexpr double most_waves_to_split = 2;  // above, there is work for every multiprocessor already
constexpr unsigned in_place = 1;
constexpr unsigned in_compute_type = 2;
constexpr unsigned in_output_type = 4;

// A tile an eighth of the largest moves about √8 times the operands. That can pay while the GPU is not full, and never
// beyond it.
constexpr double waves_of_a_full_gpu = 4;
constexpr double most_waves_over_least = 8;

/// In how many settings they differ.
int distance(const AlgoConfig& a, const AlgoConfig& b) {
  const auto differs = [&](auto setting) { return a.*setting != b.*setting ? 1 : 0; };
  return differs(&AlgoConfig::id) + differs(&AlgoConfig::tile) + differs(&AlgoConfig::stages) +
         differs(&AlgoConfig::split_k) + differs(&AlgoConfig::reduction) + differs(&AlgoConfig::swizzle) +
         differs(&AlgoConfig::custom) + differs(&AlgoConfig::inner) + differs(&AlgoConfig::cluster);
}

class Enumerator {
 public:
  Enumerator(const AlgoSource& source, const LearntAlgos& known, const EnumerationLimits& limits)
      : source_(source), known_(known), limits_(limits) {}

  Enumeration run() {
    add_first_choice();
    add_ranked({.workspace_bytes = usual_workspace_bytes, .most = ranked_in_all});
    add_ranked({.workspace_bytes = large_workspace_bytes, .most = ranked_in_all});
    for (const auto& [id, learnt] : known_)
      add_ranked({.workspace_bytes = usual_workspace_bytes, .most = ranked_of_an_id, .only_id = id});
    for (const auto& [id, learnt] : known_) add_learnt(id, learnt);
    drop_small_tiles();
    nearest_first();
    keep_most();
    return std::move(result_);
  }

 private:
  std::optional<Accepted> check(const AlgoConfig& config) {
    ++result_.checks;
    auto accepted = source_.check(config);
    if (accepted && accepted->workspace_bytes > large_workspace_bytes) accepted.reset();
    return accepted;
  }

  void add(Entry entry) {
    if (seen_.contains(entry.config)) return;
    const auto accepted = seen_[entry.config] = check(entry.config);
    if (!accepted) return;
    entry.accepted = *accepted;
    result_.entries.push_back(entry);
  }

  void add_first_choice() {
    add_ranked({.workspace_bytes = usual_workspace_bytes, .most = 1});
    result_.has_first_choice = !result_.entries.empty();
  }

  void add_ranked(const RankRequest& request) {
    for (const auto& config : source_.ranked(request)) add({.config = config, .ranked = true});
  }

  void add_learnt(int id, const Learnt& learnt) {
    const auto capabilities = source_.capabilities(id);
    if (!capabilities) return;
    for (const auto& config : learnt.configs) {
      add({.config = config});
      if (capabilities->splits_k && may_split(config)) add_splits(config, capabilities->reductions);
    }
  }

  /// Swizzling orders tiles for the cache's sake, which needs more than a wave of them.
  bool may_split(const AlgoConfig& config) const {
    if (config.swizzle != 0) return false;
    const auto accepted = seen_.at(config);
    return accepted && accepted->waves <= most_waves_to_split;
  }

  void add_splits(AlgoConfig config, unsigned reductions) {
    for (const int splits : split_counts) {
      if (limits_.k / splits < least_k_of_a_split) return;
      config.split_k = splits;
      for (const unsigned reduction : {in_place, in_compute_type, in_output_type}) {
        if ((reductions & reduction) == 0 || (reduction != in_compute_type && !limits_.fits_output)) continue;
        config.reduction = reduction;
        add({.config = config});
      }
    }
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
    std::vector<std::pair<int, Entry>> others;
    for (const auto& entry : std::span(first_other, result_.entries.end())) {
      int nearest = std::numeric_limits<int>::max();
      for (const auto& from : ranked) nearest = std::min(nearest, distance(entry.config, from.config));
      others.emplace_back(nearest, entry);
    }
    std::ranges::stable_sort(others, {}, &std::pair<int, Entry>::first);
    std::ranges::transform(others, first_other, &std::pair<int, Entry>::second);
  }

  void keep_most() {
    if (result_.entries.size() <= limits_.most) return;
    result_.entries.resize(limits_.most);
    result_.cut = true;
  }

  const AlgoSource& source_;
  const LearntAlgos& known_;
  const EnumerationLimits& limits_;
  std::map<AlgoConfig, std::optional<Accepted>> seen_;
  Enumeration result_;
};

void merge(Learnt& into, const Learnt& more) {
  std::set<AlgoConfig> configs(into.configs.begin(), into.configs.end());
  configs.insert(more.configs.begin(), more.configs.end());
  into.configs.assign(configs.begin(), configs.end());
  into.checks += more.checks;
  into.cut = into.cut || more.cut;
}

}  // namespace

void learn_all(const AlgoSource& source, LearntAlgos& known, const LearningLimits& limits) {
  for (const int id : source.ids()) merge(known[id], learn(source, id, limits));
}

Enumeration enumerate(const AlgoSource& source, const LearntAlgos& known, const EnumerationLimits& limits) {
  return Enumerator(source, known, limits).run();
}

}  // namespace gemmtune::cublaslt
