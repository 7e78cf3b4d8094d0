#include "gemmtune/families/cublaslt/algo_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "gemmtune/core/text.h"
#include "header_words.h"

namespace gemmtune::cublaslt {
namespace {

using Words = std::span<const NumberedWord>;

std::string word_of(Words words, unsigned number) {
  const auto at = std::ranges::find(words, number, &NumberedWord::number);
  return at != words.end() ? std::string(at->word) : std::to_string(number);
}

std::optional<unsigned> number_of(Words words, std::string_view text) {
  const auto at = std::ranges::find(words, text, &NumberedWord::word);
  if (at != words.end()) return at->number;
  const auto number = parse_int(text);
  if (!number || *number < 0 || *number > 65535) return std::nullopt;
  return static_cast<unsigned>(*number);
}

constexpr NumberedWord split_words[]{{static_cast<unsigned>(-1), "auto"}};

/// How each setting is written, in the order in which names have them.
struct Field {
  std::string_view tag{};
  Words words{};
  unsigned (*get)(const AlgoConfig&){};
  void (*set)(AlgoConfig&, unsigned){};
};

constexpr Field fields[]{
    {"a",
     {},
     [](const AlgoConfig& c) { return static_cast<unsigned>(c.id); },
     [](AlgoConfig& c, unsigned v) { c.id = static_cast<int>(v); }},
    {"t", matmul_tile_words, [](const AlgoConfig& c) { return c.tile; }, [](AlgoConfig& c, unsigned v) { c.tile = v; }},
    {"s", matmul_stages_words, [](const AlgoConfig& c) { return c.stages; },
     [](AlgoConfig& c, unsigned v) { c.stages = v; }},
    {"k", split_words, [](const AlgoConfig& c) { return static_cast<unsigned>(c.split_k); },
     [](AlgoConfig& c, unsigned v) { c.split_k = static_cast<int>(v); }},
    {"r", {}, [](const AlgoConfig& c) { return c.reduction; }, [](AlgoConfig& c, unsigned v) { c.reduction = v; }},
    {"z", {}, [](const AlgoConfig& c) { return c.swizzle; }, [](AlgoConfig& c, unsigned v) { c.swizzle = v; }},
    {"o", {}, [](const AlgoConfig& c) { return c.custom; }, [](AlgoConfig& c, unsigned v) { c.custom = v; }},
    {"i", {}, [](const AlgoConfig& c) { return c.inner; }, [](AlgoConfig& c, unsigned v) { c.inner = v; }},
    {"c", cluster_shape_words, [](const AlgoConfig& c) { return c.cluster; },
     [](AlgoConfig& c, unsigned v) { c.cluster = v; }},
};

}  // namespace

std::size_t AlgoConfigHash::operator()(const AlgoConfig& config) const noexcept {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;  // 2⁶⁴ over the golden ratio
  std::uint64_t hash = 0;
  for (const unsigned value :
       {static_cast<unsigned>(config.id), config.tile, config.stages, static_cast<unsigned>(config.split_k),
        config.reduction, config.swizzle, config.custom, config.inner, config.cluster})
    hash = (hash ^ value) * odd;
  return hash ^ (hash >> 32);
}

std::vector<Setting> settings_of(const AlgoConfig& config) {
  std::vector<Setting> settings;
  for (const Field& field : fields)
    settings.push_back({std::string(field.tag), word_of(field.words, field.get(config))});
  return settings;
}

std::optional<AlgoConfig> config_of(std::span<const Setting> settings) {
  if (settings.size() != std::size(fields)) return std::nullopt;
  AlgoConfig config;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const auto number = number_of(fields[i].words, settings[i].value);
    // The number is written again and compared, so that neither "012" nor the number of a tile that has a word is a
    // second name.
    const bool canonical = number && word_of(fields[i].words, *number) == settings[i].value;
    if (settings[i].tag != fields[i].tag || !canonical) return std::nullopt;
    fields[i].set(config, *number);
  }
  return config;
}

TileSize tile_size(unsigned tile) {
  const auto word = word_of(matmul_tile_words, tile);
  const auto sides = split(word, 'x');
  if (sides.size() != 2) return {};
  return {parse_int(sides[0]).value_or(0), parse_int(sides[1]).value_or(0)};
}

}  // namespace gemmtune::cublaslt
