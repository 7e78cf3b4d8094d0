#include "gemmtune/trials/reproducer.h"

#include <fmt/format.h>

#include <string_view>

namespace gemmtune {
namespace {

// Names from foreign workers may contain any characters.
std::string quoted(const std::string& text) {
  constexpr std::string_view harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!text.empty() && text.find_first_not_of(harmless) == std::string::npos) return text;
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace

std::string reproducer(const std::string& program, const Problem& problem, const Evaluation& evaluation) {
  return fmt::format("{} evaluate --problem {} --candidate {} --seed {} --stage {}", quoted(program),
                     quoted(to_string(problem)), quoted(evaluation.candidate.name), evaluation.seed,
                     to_string(evaluation.stage));
}

std::string stress_command(const std::string& program, const Problem& problem, const Candidate& candidate) {
  constexpr int launches = 10'000;
  return fmt::format("{} stress --problem {} --candidate {} --launches {}", quoted(program), quoted(to_string(problem)),
                     quoted(candidate.name), launches);
}

}  // namespace gemmtune
