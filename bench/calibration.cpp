// calibration [RACES [SEED]]: how often the regret that a race states is exceeded, on invented machines.
// docs/results/calibration.md has its table.
#include "tests/search/calibration.h"

#include <fmt/format.h>

#include <cstdlib>

int main(int count, char** arguments) {
  using namespace gemmtune::invented;
  const std::int64_t races = count > 1 ? std::strtoll(arguments[1], nullptr, 10) : 200;
  const std::uint64_t seed = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1;
  std::vector<Calibration> all;
  const char* only = count > 3 ? arguments[3] : nullptr;
  for (const auto space : {SpaceKind::dense, SpaceKind::rough, SpaceKind::outlier})
    for (const auto& noise : all_noises())
      if (only == nullptr || noise.name == only) all.push_back(calibrate({noise, space}, races, seed));
  fmt::print("{}", table_of(all));
}
