#include "gemmtune/exchange/hipblaslt_log.h"

#include <map>
#include <vector>

#include "gemmtune/core/text.h"
#include "gemmtune/exchange/library_words.h"
#include "gemmtune/exchange/line_shapes.h"

namespace gemmtune {
namespace {

using Options = std::map<std::string_view, std::string_view>;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (const auto word : split(line, ' '))
    if (!word.empty()) words.push_back(trim(word));
  return words;
}

/// The sizes have a long name too.
std::string_view short_name(std::string_view option) {
  return option == "sizem" || option == "sizen" || option == "sizek" ? option.substr(4) : option;
}

/// "--a_type" as a_type, "-m" as m; "" for a value. Numbers may be negative.
std::string_view option_named(std::string_view word) {
  if (word.size() < 2 || word[0] != '-' || parse_double(word)) return {};
  return short_name(word.substr(word.starts_with("--") ? 2 : 1));
}

/// An option without a value is a flag that is set. Scales too are flags in logs of older versions.
Options options_of(std::string_view line) {
  Options options;
  std::string_view open;
  for (const auto word : words_of(line)) {
    const auto name = option_named(word);
    if (!name.empty()) options.insert_or_assign(name, "");
    if (name.empty() && !open.empty()) options.insert_or_assign(open, word);
    open = name;
  }
  for (auto& [name, value] : options)
    if (value.empty()) value = "1";
  return options;
}

/// What an option that is not given means.
std::string_view usual_text(std::string_view name) { return name == "transA" || name == "transB" ? "N" : ""; }

}  // namespace

bool is_hipblaslt_bench_line(std::string_view line) { return line.find("hipblaslt-bench ") != std::string_view::npos; }

Problem hipblaslt_bench_problem(std::string_view line) {
  const auto options = options_of(line.substr(line.find("hipblaslt-bench ")));
  return problem_of_words([&](std::string_view name) {
    const auto said = options.find(name);
    return said == options.end() ? usual_text(name) : said->second;
  });
}

ShapeList hipblaslt_bench_shapes(std::string_view text, const std::string& source) {
  return shapes_of_lines(text, source, [](std::string_view line) {
    return is_hipblaslt_bench_line(line) ? std::optional(hipblaslt_bench_problem(line)) : std::nullopt;
  });
}

}  // namespace gemmtune
