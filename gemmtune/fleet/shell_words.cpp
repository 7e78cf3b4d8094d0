#include "gemmtune/fleet/shell_words.h"

#include <algorithm>

namespace gemmtune {
namespace {

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool is_harmless(char c) {
  return is_letter_or_digit(c) || std::string_view("_./:=,+@%-").find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'')
      word += "'\\''";
    else
      word += c;
  }
  return word + '\'';
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& word : words) {
    if (!line.empty()) line += ' ';
    line += !word.empty() && std::ranges::all_of(word, is_harmless) ? word : shell_word(word);
  }
  return line;
}

std::string arguments_script(const std::vector<std::string>& words) {
  std::string script = "set --";
  for (const auto& word : words) script += " \\\n  " + shell_word(word);
  return script + '\n';
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.front() != '-' && name.front() != '.' &&
         std::ranges::all_of(name, [](char c) { return is_letter_or_digit(c) || c == '.' || c == '-' || c == '_'; });
}

bool is_variable_name(std::string_view name) {
  return !name.empty() && (name.front() < '0' || name.front() > '9') &&
         std::ranges::all_of(name, [](char c) { return is_letter_or_digit(c) || c == '_'; });
}

}  // namespace gemmtune
