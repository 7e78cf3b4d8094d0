#include "gemmtune/shapes/module_patterns.h"

#include <re2/re2.h>

#include <algorithm>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/core/visible.h"

namespace gemmtune {
namespace {

/// The regular expression for a path in which * stands for any text. The last word must match up to its end.
std::string expression_of_glob(std::string_view glob) {
  std::string expression = "(?s)";
  for (const auto piece : split(glob, '*')) {
    if (piece.data() != glob.data()) expression += ".*";
    expression += re2::RE2::QuoteMeta(re2::StringPiece(piece.data(), piece.size()));
  }
  return expression + "(\\..*)?$";
}

std::shared_ptr<const re2::RE2> compiled(const std::string& expression, const std::string& entry) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto regex = std::make_shared<const re2::RE2>(expression, options);
  if (!regex->ok())
    fail(ErrorCode::input,
         "module pattern '{}': {} (look-ahead and back-references are not supported: write the pattern without them)",
         visible_start(entry), visible_start(regex->error()));
  return regex;
}

bool matches_start(const re2::RE2& regex, const std::string& path) {
  return regex.Match(path, 0, path.size(), re2::RE2::ANCHOR_START, nullptr, 0);
}

/// Each run of whole words of the path: a.b.c, a.b, a, b.c, b, c.
std::vector<std::string_view> runs_of_words(std::string_view path) {
  std::vector<std::string_view> runs;
  const auto words = split(path, '.');
  for (std::size_t first = 0; first < words.size(); ++first)
    for (std::size_t last = first; last < words.size(); ++last)
      runs.emplace_back(words[first].data(), words[last].data() + words[last].size());
  return runs;
}

}  // namespace

void ModulePatterns::add(const std::string& entry) {
  if (entry.empty()) return;
  if (entry.starts_with("re:"))
    expressions_.push_back(compiled(entry.substr(3), entry));
  else if (entry.find('*') != std::string::npos)
    expressions_.push_back(compiled(expression_of_glob(entry), entry));
  else
    words_.insert(entry);
}

bool ModulePatterns::match(const std::string& path) const {
  const auto runs = runs_of_words(path);
  return std::ranges::any_of(runs, [&](std::string_view words) { return words_.contains(words); }) ||
         std::ranges::any_of(expressions_, [&](const auto& expression) { return matches_start(*expression, path); });
}

}  // namespace gemmtune
