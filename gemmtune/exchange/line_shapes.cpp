#include "gemmtune/exchange/line_shapes.h"

#include <fmt/format.h>

#include <map>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"

namespace gemmtune {

ShapeList shapes_of_lines(std::string_view text, const std::string& source, const ProblemOfLine& problem_of) {
  ShapeList list;
  std::map<Problem, std::size_t> seen;
  std::int64_t number = 0;
  for (const auto line : split(text, '\n')) {
    const auto where = fmt::format("{}:{}", source, ++number);
    try {
      const auto problem = problem_of(trim(line));
      if (!problem) continue;
      const Shape shape{.problem = *problem, .where = where};
      const auto [at, is_new] = seen.try_emplace(*problem, list.shapes.size());
      if (is_new)
        list.shapes.push_back(shape);
      else
        add_shape(list.shapes[at->second], shape);
    } catch (const Error& error) {
      list.rejected.push_back({where + ":1", error.what()});
    }
  }
  return list;
}

}  // namespace gemmtune
