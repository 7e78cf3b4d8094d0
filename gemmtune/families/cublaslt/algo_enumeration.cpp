#include "gemmtune/families/cublaslt/algo_enumeration.h"

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "gemmtune/core/parallel.h"

namespace gemmtune::cublaslt {
namespace {

constexpr unsigned inner_shapes = 5;     // cublasLtMatmulInnerShape_t: 0 to 4
constexpr unsigned cluster_shapes = 52;  // cublasLtClusterShape_t: 0 to 51; 1 means no cluster
constexpr unsigned most_custom_options = 255;
constexpr std::size_t ranked_of_an_id = 64;
constexpr std::size_t probe_workspace_bytes = std::size_t{256} << 20;

/// A setting whose values must be tried, and the values worth trying. If an algorithm accepts `nonsense`, it ignores
/// the setting and has the same kernel for all values.
struct Axis {
  unsigned AlgoConfig::*setting{};
  std::vector<unsigned> values{};
  unsigned nonsense{250};  // only slightly above the existing values, because libraries use it as an index of tables
};

std::vector<unsigned> numbers(unsigned count) {
  std::vector<unsigned> all(count);
  for (unsigned i = 0; i < count; ++i) all[i] = i;
  return all;
}

std::vector<Axis> axes_of(const Capabilities& capabilities) {
  return {{&AlgoConfig::inner, numbers(inner_shapes)},
          {&AlgoConfig::cluster, numbers(cluster_shapes)},
          {&AlgoConfig::custom, numbers(std::min(capabilities.custom_max, most_custom_options) + 1),
           capabilities.custom_max + 1},
          {&AlgoConfig::swizzle, numbers(capabilities.swizzles ? 2 : 1)}};
}

std::vector<unsigned> or_undefined(std::vector<unsigned> numbers) {
  if (numbers.empty()) numbers.push_back(0);
  return numbers;
}

AlgoConfig with(AlgoConfig config, unsigned AlgoConfig::*setting, unsigned value) {
  config.*setting = value;
  return config;
}

/// The plain settings, and the settings with which the library itself ranks this algorithm.
std::set<AlgoConfig> contexts_of(const AlgoSource& source, int id) {
  std::set<AlgoConfig> contexts{{.id = id}};
  for (auto config :
       source.ranked({.workspace_bytes = probe_workspace_bytes, .most = ranked_of_an_id, .only_id = id})) {
    config.tile = config.stages = config.reduction = 0;
    config.split_k = 1;
    contexts.insert(config);
  }
  return contexts;
}

/// What the tiles of an algorithm have in common.
struct Algo {
  int id{};
  std::vector<unsigned> tiles{};
  std::vector<unsigned> stages{};
  std::vector<Axis> axes{};
  std::set<AlgoConfig> contexts{};

  /// Whether the library ranks this algorithm: the plain settings alone are one context.
  bool is_ranked() const { return contexts.size() > 1; }
};

/// The algorithm; without tiles if it cannot do this matmul.
Algo algo_of(const AlgoSource& source, int id) {
  const auto capabilities = source.capabilities(id);
  if (!capabilities) return {.id = id};
  return {.id = id,
          .tiles = or_undefined(capabilities->tiles),
          .stages = or_undefined(capabilities->stages),
          .axes = axes_of(*capabilities),
          .contexts = contexts_of(source, id)};
}

/// Enumerates the configurations of one tile. Tiles share no configurations: the results for one say nothing about
/// another.
class TileLearner {
 public:
  TileLearner(const AlgoSource& source, const Algo& algo, unsigned tile, const AlgoLimits& limits)
      : source_(source), algo_(algo), tile_(tile), limits_(limits) {}

  AlgoConfigs enumerate_algo() {
    for (const auto& seed : seeds()) spread(seed);
    AlgoConfigs learnt{.checks = checks_, .cut = cut_};
    for (const auto& [config, accepted] : tried_)
      if (accepted) learnt.taken.push_back({config, *accepted});
    return learnt;
  }

 private:
  bool takes(const AlgoConfig& config) {
    if (const auto known = tried_.find(config); known != tried_.end()) return known->second.has_value();
    if (!may_ask()) return false;
    return (tried_[config] = source_.check(config)).has_value();
  }

  bool may_ask() {
    cut_ = cut_ || checks_ >= limits_.checks;
    if (checks_ >= limits_.checks) return false;
    ++checks_;
    return true;
  }

  bool looks_at(const AlgoConfig& seed, const Axis& axis) {
    return may_ask() && !source_.check(with(seed, axis.setting, axis.nonsense));
  }

  std::vector<AlgoConfig> seeds() {
    std::vector<AlgoConfig> seeds;
    for (const unsigned stages : algo_.stages)
      for (AlgoConfig config : algo_.contexts) {
        config.tile = tile_;
        config.stages = stages;
        if (takes(config)) seeds.push_back(config);
      }
    return seeds.empty() ? seeds_one_step_away() : seeds;
  }

  /// Finds seeds for tiles that are accepted in none of the contexts. There is a limit because libraries list many
  /// algorithms of other devices, of which they accept nothing.
  std::vector<AlgoConfig> seeds_one_step_away() {
    std::vector<AlgoConfig> seeds;
    const std::int64_t given_up = checks_ + limits_.futile_of_a_tile;
    for (const unsigned stages : algo_.stages)
      for (const auto& axis : algo_.axes)
        for (const unsigned value : axis.values) {
          if (seeds.empty() && !algo_.is_ranked() && checks_ >= given_up) {
            cut_ = true;
            return seeds;
          }
          const auto config = with({.id = algo_.id, .tile = tile_, .stages = stages}, axis.setting, value);
          if (takes(config)) seeds.push_back(config);
        }
    return seeds;
  }

  /// Searches breadth first, so that a limit leaves out what is furthest from the seed. Only values that are accepted
  /// together with the seed's other settings are combined.
  void spread(const AlgoConfig& seed) {
    const auto axes = axes_at(seed);
    std::unordered_set<AlgoConfig, AlgoConfigHash> seen{seed};
    std::deque<AlgoConfig> open{seed};
    for (; !open.empty(); open.pop_front())
      for (const auto& axis : axes)
        for (const unsigned value : axis.values) {
          const auto next = with(open.front(), axis.setting, value);
          if (!takes(next) || seen.contains(next)) continue;
          if (static_cast<std::int64_t>(seen.size()) >= limits_.accepted_of_a_pair) {
            cut_ = true;
            return;
          }
          seen.insert(next);
          open.push_back(next);
        }
  }

  std::vector<Axis> axes_at(const AlgoConfig& seed) {
    std::vector<Axis> axes;
    for (const auto& axis : algo_.axes) {
      if (!looks_at(seed, axis)) continue;
      Axis here{.setting = axis.setting};
      for (const unsigned value : axis.values)
        if (takes(with(seed, axis.setting, value))) here.values.push_back(value);
      axes.push_back(std::move(here));
    }
    return axes;
  }

  const AlgoSource& source_;
  const Algo& algo_;
  unsigned tile_{};
  AlgoLimits limits_{};
  std::unordered_map<AlgoConfig, std::optional<Accepted>, AlgoConfigHash> tried_;
  std::int64_t checks_{};
  bool cut_{};
};

struct TileOf {
  const Algo* algo{};
  unsigned tile{};
};

std::vector<TileOf> tiles_of(std::span<const Algo> algos) {
  std::vector<TileOf> tiles;
  for (const auto& algo : algos)
    for (const unsigned tile : algo.tiles) tiles.push_back({&algo, tile});
  return tiles;
}

void append(AlgoConfigs& to, const AlgoConfigs& more) {
  to.taken.insert(to.taken.end(), more.taken.begin(), more.taken.end());
  to.checks += more.checks;
  to.cut = to.cut || more.cut;
}

EnumeratedAlgos learn_each(const AlgoSource& source, std::span<const int> ids, const AlgoLimits& limits) {
  const auto algos = parallel_map(ids, 1, [&](int id) { return algo_of(source, id); });
  const auto tiles = tiles_of(algos);
  const auto learn_tile = [&](const TileOf& of, std::int64_t checks) {
    auto of_tile = limits;
    of_tile.checks = checks;
    return TileLearner(source, *of.algo, of.tile, of_tile).enumerate_algo();
  };
  const auto parts = parallel_map(tiles, 1, [&](const TileOf& of) { return learn_tile(of, limits.checks); });
  EnumeratedAlgos known;
  for (const int id : ids) known[id];
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    auto& learnt = known[tiles[i].algo->id];
    const std::int64_t left = limits.checks - learnt.checks;
    // The limit is for the whole algorithm. A tile that exceeds it is tried again with the checks that earlier tiles
    // have left.
    append(learnt, parts[i].checks <= left ? parts[i] : learn_tile(tiles[i], left));
  }
  for (auto& [id, learnt] : known) std::ranges::sort(learnt.taken, {}, &Taken::config);
  return known;
}

}  // namespace

AlgoConfigs enumerate_algo(const AlgoSource& source, int id, const AlgoLimits& limits) {
  return learn_each(source, std::array{id}, limits).at(id);
}

EnumeratedAlgos enumerate_algos(const AlgoSource& source, const AlgoLimits& limits) {
  return learn_each(source, source.ids(), limits);
}

}  // namespace gemmtune::cublaslt
