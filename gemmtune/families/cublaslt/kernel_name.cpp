#include "gemmtune/families/cublaslt/kernel_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include "gemmtune/core/text.h"

namespace gemmtune::cublaslt {
namespace {

constexpr std::string_view family_name = "cublaslt";

std::vector<Setting> all_settings(const KernelName& name) {
  auto settings = settings_of(name.config);
  settings.push_back({"f", name.fast_accumulation ? "1" : "0"});
  settings.push_back({"w", std::to_string(name.workspace_mib)});
  settings.push_back({"v", std::to_string(name.version)});
  return settings;
}

/// Splits settings such as "t128x256" into their tag, which is one letter, and their value.
std::vector<Setting> settings_in(std::string_view text) {
  std::vector<Setting> settings;
  for (const auto piece : split(text, '_'))
    settings.push_back({std::string(piece.substr(0, 1)), std::string(piece.empty() ? piece : piece.substr(1))});
  return settings;
}

/// A setting as PyTorch's TunableOp names it.
struct NumberedSetting {
  std::string_view key;
  std::int64_t (*get)(const AlgoConfig&);
  void (*set)(AlgoConfig&, std::int64_t);
};

template <auto member>
constexpr NumberedSetting numbered(std::string_view key) {
  return {.key = key,
          .get = [](const AlgoConfig& config) { return static_cast<std::int64_t>(config.*member); },
          .set =
              [](AlgoConfig& config, std::int64_t value) {
                config.*member = static_cast<std::remove_reference_t<decltype(config.*member)>>(value);
              }};
}

constexpr std::array<NumberedSetting, 9> numbered_settings{
    numbered<&AlgoConfig::id>("id"),          numbered<&AlgoConfig::tile>("tile"),
    numbered<&AlgoConfig::stages>("stages"),  numbered<&AlgoConfig::split_k>("splitk"),
    numbered<&AlgoConfig::reduction>("red"),  numbered<&AlgoConfig::swizzle>("swizzle"),
    numbered<&AlgoConfig::custom>("custom"),  numbered<&AlgoConfig::inner>("inner"),
    numbered<&AlgoConfig::cluster>("cluster")};

bool is_setting(std::int64_t value) { return value >= -1 && value <= std::numeric_limits<std::uint16_t>::max(); }

/// Removes the prefix from the text, if it is there.
bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

std::string to_string(const KernelName& name) {
  std::string text(family_name);
  if (name.is_default) text += "_default";
  for (const auto& [tag, value] : all_settings(name)) text += fmt::format("_{}{}", tag, value);
  return text;
}

std::optional<KernelName> parse_kernel_name(std::string_view text) {
  const auto whole = text;
  if (!take(text, family_name) || !take(text, "_")) return std::nullopt;
  KernelName name{.is_default = take(text, "default_")};
  auto settings = settings_in(text);
  if (settings.size() < 4) return std::nullopt;
  const auto rest = settings.end() - 3;
  name.fast_accumulation = rest[0].value == "1";
  name.workspace_mib = parse_int(rest[1].value).value_or(-1);
  name.version = parse_int(rest[2].value).value_or(-1);
  settings.erase(rest, settings.end());
  const auto config = config_of(settings);
  if (!config || name.workspace_mib < 0 || name.version < 0) return std::nullopt;
  name.config = *config;
  return to_string(name) == whole ? std::optional(name) : std::nullopt;
}

Candidate candidate_of(const KernelName& name) {
  Candidate candidate{.family = std::string(family_name),
                      .name = to_string(name),
                      .split_k = std::max(name.config.split_k, 1),
                      .library_id = name.config.id};
  for (const auto& [tag, value] : all_settings(name)) candidate.params.push_back({tag, value});
  return candidate;
}

LibraryKernel library_kernel_of(const KernelName& name) {
  LibraryKernel kernel{.library = std::string(family_name),
                       .fast_accumulation = name.fast_accumulation,
                       .workspace_mib = name.workspace_mib,
                       .version = name.version};
  for (const auto& setting : numbered_settings)
    kernel.settings.push_back({std::string(setting.key), std::to_string(setting.get(name.config))});
  return kernel;
}

std::optional<KernelName> kernel_name_of(const LibraryKernel& kernel) {
  if (kernel.library != family_name || kernel.settings.size() != numbered_settings.size()) return std::nullopt;
  KernelName name{
      .fast_accumulation = kernel.fast_accumulation, .workspace_mib = kernel.workspace_mib, .version = kernel.version};
  for (std::size_t i = 0; i < numbered_settings.size(); ++i) {
    const auto value = parse_int(kernel.settings[i].value);
    if (kernel.settings[i].key != numbered_settings.at(i).key || !value || !is_setting(*value)) return std::nullopt;
    numbered_settings.at(i).set(name.config, *value);
  }
  return name;
}

std::string version_text(std::int64_t version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace gemmtune::cublaslt
