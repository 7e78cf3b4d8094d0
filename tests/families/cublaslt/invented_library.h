// A library that exists in tests only: algorithms whose tiles and stages each take their own sets of other settings.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "gemmtune/families/cublaslt/algo_source.h"

namespace gemmtune::cublaslt {

/// The settings that an algorithm takes with one tile and one value of stages: every combination of these.
struct Box {
  std::set<unsigned> inner{0};
  std::set<unsigned> clusters{0};
  std::set<unsigned> customs{0};
  std::set<unsigned> swizzles{0};

  bool takes(const AlgoConfig& config) const {
    return inner.contains(config.inner) && clusters.contains(config.cluster) && customs.contains(config.custom) &&
           swizzles.contains(config.swizzle);
  }
};

struct InventedAlgo {
  Capabilities capabilities{};
  bool ignores_clusters{};                               // takes any cluster
  std::map<std::pair<unsigned, unsigned>, Box> boxes{};  // by tile and stages
  std::vector<AlgoConfig> ranked{};
};

class InventedLibrary final : public AlgoSource {
 public:
  std::map<int, InventedAlgo> algos{};
  std::vector<AlgoConfig> ranking{};
  std::map<unsigned, double> waves{};  // by tile; 1 for others
  std::size_t workspace_of_a_split{};  // for each split
  mutable std::int64_t checks{};

  std::vector<int> ids() const override {
    std::vector<int> all;
    for (const auto& [id, algo] : algos) all.push_back(id);
    return all;
  }

  std::optional<Capabilities> capabilities(int id) const override {
    const auto at = algos.find(id);
    return at == algos.end() ? std::nullopt : std::optional(at->second.capabilities);
  }

  std::optional<Accepted> check(const AlgoConfig& config) const override {
    ++std::atomic_ref(checks);
    const auto algo = algos.find(config.id);
    if (algo == algos.end()) return std::nullopt;
    const auto& [capabilities, ignores_clusters, boxes, ranked] = algo->second;
    const auto box = boxes.find({config.tile, config.stages});
    auto looked_at = config;
    if (ignores_clusters) looked_at.cluster = 0;
    if (box == boxes.end() || !box->second.takes(looked_at)) return std::nullopt;
    if (config.split_k > 1 && (!capabilities.splits_k || (capabilities.reductions & config.reduction) == 0))
      return std::nullopt;
    const auto known = waves.find(config.tile);
    const auto splits = static_cast<std::size_t>(config.split_k - 1);
    return Accepted{.workspace_bytes = splits * workspace_of_a_split,
                    .waves = known == waves.end() ? 1 : known->second};
  }

  std::vector<AlgoConfig> ranked(const RankRequest& request) const override {
    auto found = request.only_id ? algos.at(*request.only_id).ranked : ranking;
    if (found.size() > request.most) found.resize(request.most);
    return found;
  }

  /// All unsplit configurations of an algorithm that `check` takes, found the long way.
  std::set<AlgoConfig> everything(int id) const {
    std::set<AlgoConfig> all;
    for (const auto& [pair, box] : algos.at(id).boxes)
      for (const unsigned inner : box.inner)
        for (const unsigned cluster : box.clusters)
          for (const unsigned custom : box.customs)
            for (const unsigned swizzle : box.swizzles)
              all.insert({.id = id,
                          .tile = pair.first,
                          .stages = pair.second,
                          .swizzle = swizzle,
                          .custom = custom,
                          .inner = inner,
                          .cluster = cluster});
    return all;
  }
};

/// The same library, but some answers take longer. The seed decides which ones.
class UnevenLibrary final : public AlgoSource {
 public:
  UnevenLibrary(const InventedLibrary& library, unsigned seed) : library_(library), seed_(seed) {}

  std::vector<int> ids() const override { return library_.ids(); }
  std::optional<Capabilities> capabilities(int id) const override { return library_.capabilities(id); }

  std::optional<Accepted> check(const AlgoConfig& config) const override {
    wait_for(config.tile + config.cluster + config.custom);
    return library_.check(config);
  }

  std::vector<AlgoConfig> ranked(const RankRequest& request) const override {
    wait_for(static_cast<unsigned>(request.only_id.value_or(0)));
    return library_.ranked(request);
  }

 private:
  void wait_for(unsigned what) const {
    if ((what * 2654435761U + seed_) % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
  }

  const InventedLibrary& library_;
  unsigned seed_{};
};

/// 0, and each other value below `limit` with a chance of one in `rarity`.
inline std::set<unsigned> some_of(unsigned limit, unsigned rarity, std::mt19937& random) {
  std::set<unsigned> some{0};
  for (unsigned i = 1; i < limit; ++i)
    if (random() % rarity == 0) some.insert(i);
  return some;
}

/// An algorithm that takes a third of its pairs of tile and stages, each with plain settings and with a box of its own.
inline InventedAlgo invent_algo(std::mt19937& random) {
  InventedAlgo algo{.capabilities = {.splits_k = random() % 2 == 0,
                                     .reductions = static_cast<unsigned>(random() % 8),
                                     .swizzles = random() % 2 == 0,
                                     .custom_max = static_cast<unsigned>(random() % 6)}};
  for (unsigned tile = 1; tile <= 6; ++tile) algo.capabilities.tiles.push_back(10 + tile);
  for (unsigned stages = 1; stages <= 4; ++stages) algo.capabilities.stages.push_back(30 + stages);
  for (const unsigned tile : algo.capabilities.tiles)
    for (const unsigned stages : algo.capabilities.stages) {
      if (random() % 3 != 0) continue;
      algo.boxes[{tile, stages}] = {.inner = some_of(5, 4, random),
                                    .clusters = some_of(52, 20, random),
                                    .customs = some_of(algo.capabilities.custom_max + 1, 2, random),
                                    .swizzles = some_of(algo.capabilities.swizzles ? 2 : 1, 2, random)};
    }
  return algo;
}

/// Three algorithms. The library ranks some of their configurations: in one ranking for all, and in one for each
/// algorithm.
inline InventedLibrary invent_library(std::mt19937& random) {
  InventedLibrary library;
  for (const int id : {3, 7, 66}) {
    auto& algo = library.algos[id] = invent_algo(random);
    for (const auto& config : library.everything(id)) {
      if (random() % 8 == 0) algo.ranked.push_back(config);
      if (random() % 8 == 0) library.ranking.push_back(config);
    }
  }
  return library;
}

}  // namespace gemmtune::cublaslt
