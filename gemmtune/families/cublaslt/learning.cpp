#include "gemmtune/families/cublaslt/learning.h"

#include <algorithm>
#include <deque>
#include <set>

namespace gemmtune::cublaslt {
namespace {

constexpr unsigned inner_shapes = 5;     // cublasLtMatmulInnerShape_t: 0 to 4
constexpr unsigned cluster_shapes = 52;  // cublasLtClusterShape_t: 0 to 51; 1 is none
constexpr unsigned most_custom_options = 255;
constexpr std::size_t ranked_of_an_id = 64;
constexpr std::size_t probe_workspace_bytes = std::size_t{256} << 20;

/// A setting that can only be tried, and the values worth trying. An algorithm that takes `nonsense` does not look at
/// the setting, and has the same kernel for all of its values.
struct Axis {
  unsigned AlgoConfig::*setting{};
  std::vector<unsigned> values{};
  unsigned nonsense{250};  // not far beyond the values that there are: libraries index tables with them
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

class Learner {
 public:
  Learner(const AlgoSource& source, int id, const Capabilities& capabilities, const LearningLimits& limits)
      : source_(source),
        id_(id),
        tiles_(or_undefined(capabilities.tiles)),
        stages_(or_undefined(capabilities.stages)),
        axes_(axes_of(capabilities)),
        limits_(limits) {}

  Learnt learn() {
    find_contexts();
    for (const unsigned tile : tiles_) learn_tile(tile);
    return {.configs = {accepted_.begin(), accepted_.end()}, .checks = checks_, .cut = cut_};
  }

 private:
  bool takes(const AlgoConfig& config) {
    if (tried_.contains(config)) return accepted_.contains(config);
    if (!may_ask()) return false;
    tried_.insert(config);
    const bool takes = source_.check(config).has_value();
    if (takes) accepted_.insert(config);
    return takes;
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

  /// The plain settings, and those with which the library itself ranks this algorithm.
  void find_contexts() {
    contexts_.insert(AlgoConfig{.id = id_});
    for (auto config :
         source_.ranked({.workspace_bytes = probe_workspace_bytes, .most = ranked_of_an_id, .only_id = id_})) {
      config.tile = config.stages = config.reduction = 0;
      config.split_k = 1;
      contexts_.insert(config);
    }
  }

  void learn_tile(unsigned tile) {
    std::vector<AlgoConfig> seeds;
    for (const unsigned stages : stages_)
      for (const auto& seed : seeds_of(tile, stages)) seeds.push_back(seed);
    if (seeds.empty()) seeds = seeds_one_step_away(tile);
    for (const auto& seed : seeds) spread(seed);
  }

  std::vector<AlgoConfig> seeds_of(unsigned tile, unsigned stages) {
    std::vector<AlgoConfig> seeds;
    for (AlgoConfig config : contexts_) {
      config.tile = tile;
      config.stages = stages;
      if (takes(config)) seeds.push_back(config);
    }
    return seeds;
  }

  /// For tiles that are taken with no context.
  std::vector<AlgoConfig> seeds_one_step_away(unsigned tile) {
    std::vector<AlgoConfig> seeds;
    for (const unsigned stages : stages_)
      for (const auto& axis : axes_)
        for (const unsigned value : axis.values) {
          const auto config = with({.id = id_, .tile = tile, .stages = stages}, axis.setting, value);
          if (takes(config)) seeds.push_back(config);
        }
    return seeds;
  }

  /// Breadth first, so that a limit costs what is furthest from the seed. Only values that the seed can have are
  /// combined.
  void spread(const AlgoConfig& seed) {
    const auto axes = axes_at(seed);
    std::set<AlgoConfig> seen{seed};
    std::deque<AlgoConfig> open{seed};
    for (; !open.empty(); open.pop_front())
      for (const auto& axis : axes)
        for (const unsigned value : axis.values) {
          const auto next = with(open.front(), axis.setting, value);
          if (seen.contains(next) || !takes(next)) continue;
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
    for (const auto& axis : axes_) {
      if (!looks_at(seed, axis)) continue;
      Axis here{.setting = axis.setting};
      for (const unsigned value : axis.values)
        if (takes(with(seed, axis.setting, value))) here.values.push_back(value);
      axes.push_back(std::move(here));
    }
    return axes;
  }

  const AlgoSource& source_;
  int id_{};
  std::vector<unsigned> tiles_;
  std::vector<unsigned> stages_;
  std::vector<Axis> axes_;
  LearningLimits limits_{};
  std::set<AlgoConfig> contexts_;
  std::set<AlgoConfig> tried_;
  std::set<AlgoConfig> accepted_;
  std::int64_t checks_{};
  bool cut_{};
};

}  // namespace

Learnt learn(const AlgoSource& source, int id, const LearningLimits& limits) {
  const auto capabilities = source.capabilities(id);
  return capabilities ? Learner(source, id, *capabilities, limits).learn() : Learnt{};
}

}  // namespace gemmtune::cublaslt
