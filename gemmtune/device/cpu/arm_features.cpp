#include "gemmtune/device/cpu/arm_features.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace gemmtune {
namespace {

constexpr std::uint64_t hwcap = 16;  // AT_HWCAP and AT_HWCAP2 of Linux's auxvec.h
constexpr std::uint64_t hwcap2 = 26;

struct Feature {
  std::uint64_t key{};
  int bit{};
  std::string_view name{};
};

constexpr std::array features{
    Feature{hwcap, 1, "asimd"},    Feature{hwcap, 10, "asimdhp"},  Feature{hwcap, 20, "asimddp"},
    Feature{hwcap, 22, "sve"},     Feature{hwcap, 23, "asimdfhm"}, Feature{hwcap2, 1, "sve2"},
    Feature{hwcap2, 9, "svei8mm"}, Feature{hwcap2, 12, "svebf16"}, Feature{hwcap2, 13, "i8mm"},
    Feature{hwcap2, 14, "bf16"},   Feature{hwcap2, 23, "sme"}};

std::uint64_t value_of(std::string_view auxv, std::uint64_t key) {
  std::array<std::uint64_t, 2> entry{};
  for (; auxv.size() >= sizeof entry; auxv.remove_prefix(sizeof entry)) {
    std::memcpy(entry.data(), auxv.data(), sizeof entry);
    if (entry[0] == key) return entry[1];
  }
  return 0;
}

}  // namespace

std::vector<std::string> arm_features(std::string_view auxv) {
  std::vector<std::string> found;
  for (const Feature& feature : features) {
    if ((value_of(auxv, feature.key) >> feature.bit & 1) != 0) found.emplace_back(feature.name);
  }
  return found;
}

}  // namespace gemmtune
