#include "gemmtune/cli/tune/gains.h"

#include <fmt/format.h>

#include <cmath>

#include "gemmtune/cli/short_text.h"
#include "gemmtune/cli/tune/progress_text.h"

namespace gemmtune {
namespace {

struct Sums {
  double logs{};
  double before_us{};
  double after_us{};
  std::size_t shapes{};
  std::size_t wrong{};  // whose default is
  bool is_weighted{};
};

/// A tie counts with its measured ratio, so that nothing is rounded in our favour. Shapes whose default choice is wrong
/// are left out: being faster than a wrong kernel is no gain.
Sums add_up(std::span<const ShapeResult> results) {
  Sums sums;
  for (const auto& result : results) {
    const auto times = speedup(result);
    if (!times) continue;
    if (default_is_wrong(result)) {
      ++sums.wrong;
      continue;
    }
    const double weight = result.shape.weight;
    sums.logs += std::log(*times);
    sums.before_us += weight * result.default_choice->timing.median_us;
    sums.after_us += weight * result.winner->timing.median_us;
    sums.is_weighted = sums.is_weighted || weight != 1;
    ++sums.shapes;
  }
  return sums;
}

std::string counted(std::size_t shapes) { return shapes == 1 ? "1 shape" : fmt::format("{} shapes", shapes); }

}  // namespace

std::string gain_lines(std::span<const ShapeResult> results) {
  const auto sums = add_up(results);
  std::string text;
  if (sums.shapes > 0) {
    text = fmt::format("geometric mean against the default: {:.2f}x over {}\n",
                       std::exp(sums.logs / static_cast<double>(sums.shapes)), counted(sums.shapes));
    text +=
        fmt::format("{}: {} by default, {} tuned, {:.1f} % less\n",
                    sums.is_weighted ? "all calls of the list" : "one call of each shape", human_time(sums.before_us),
                    human_time(sums.after_us), 100 * (1 - sums.after_us / sums.before_us));
  }
  if (sums.wrong > 0) text += fmt::format("left out of both: {} whose default is wrong\n", counted(sums.wrong));
  return text;
}

}  // namespace gemmtune
