#include "gemmtune/shapes/module_patterns.h"

#include <algorithm>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

/// The regular expression for a path in which * stands for any text. The last word must match up to its end.
std::string expression_of_glob(std::string_view glob) {
  std::string expression;
  for (const char c : glob) {
    if (c == '*')
      expression += ".*";
    else if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_')
      expression += c;
    else
      expression += {'\\', c};
  }
  return expression + "(\\..*)?$";
}

std::regex compiled(const std::string& expression, const std::string& entry) {
  try {
    return std::regex(expression);
  } catch (const std::regex_error& error) {
    fail(ErrorCode::input, "module pattern '{}': {}", entry, error.what());
  }
}

/// Whether the path contains these words, between dots or the ends of the path.
bool has_words(std::string_view path, std::string_view words) {
  for (auto at = path.find(words); at != std::string_view::npos; at = path.find(words, at + 1)) {
    const auto end = at + words.size();
    if ((at == 0 || path[at - 1] == '.') && (end == path.size() || path[end] == '.')) return true;
  }
  return false;
}

}  // namespace

void ModulePatterns::add(const std::string& entry) {
  if (entry.empty()) return;
  if (entry.starts_with("re:"))
    expressions_.push_back(compiled(entry.substr(3), entry));
  else if (entry.find('*') != std::string::npos)
    expressions_.push_back(compiled(expression_of_glob(entry), entry));
  else
    words_.push_back(entry);
}

bool ModulePatterns::match(const std::string& path) const {
  const auto from_start = std::regex_constants::match_continuous;
  return std::ranges::any_of(words_, [&](const std::string& words) { return has_words(path, words); }) ||
         std::ranges::any_of(expressions_, [&](const std::regex& expression) {
           return std::regex_search(path, expression, from_start);
         });
}

}  // namespace gemmtune
