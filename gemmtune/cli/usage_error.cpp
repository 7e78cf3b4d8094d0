#include "gemmtune/cli/usage_error.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <numeric>
#include <string_view>

#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

/// How many letters must be changed, added, left out, or swapped with the next one.
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::vector<std::size_t>> steps(one.size() + 1, std::vector<std::size_t>(other.size() + 1));
  std::iota(steps[0].begin(), steps[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= one.size(); ++i) {
    steps[i][0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t changed = steps[i - 1][j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
      steps[i][j] = std::min({changed, steps[i - 1][j] + 1, steps[i][j - 1] + 1});
      if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
        steps[i][j] = std::min(steps[i][j], steps[i - 2][j - 2] + 1);
    }
  }
  return steps[one.size()][other.size()];
}

/// " Did you mean tune?" for the word that is nearest, if one is near.
std::string suggestion(const std::string& typed, const std::vector<std::string>& known) {
  const auto from_typed = [&](const std::string& word) { return distance(typed, word); };
  const auto nearest = std::ranges::min_element(known, {}, from_typed);
  const std::size_t near = typed.size() < 6 ? 2 : 3;
  if (nearest == known.end() || from_typed(*nearest) > near || typed.size() < 4) return "";
  return fmt::format(" Did you mean {}?", *nearest);
}

/// The command whose arguments are read, or the program where none was named.
const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

/// "gemmtune table merge"
std::string full_name(const CLI::App& app) {
  std::string name = app.get_name();
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? name : name + " " + full_name(*chosen.front());
}

std::vector<std::string> names_of_commands(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* each : command.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(each->get_name());
  return names;
}

/// "-i" and "--untune_file": as they are typed.
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const auto& name : option.get_snames()) names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> names_of_options(const CLI::App& command) {
  std::vector<std::string> all;
  for (const auto* option : command.get_options()) {
    const auto names = names_of(*option);
    all.insert(all.end(), names.begin(), names.end());
  }
  return all;
}

/// Of arguments that nothing asked for, in the order in which they were typed.
std::string about_unexpected(const CLI::App& app) {
  const auto words = app.remaining(true);
  const auto& command = innermost(app);
  const auto is_positional = [](const CLI::Option* option) { return option->get_positional(); };
  const auto commands = names_of_commands(command);
  if (words.empty()) return "not expected: an argument";
  const auto& first = words.front();
  if (first.starts_with('-')) {
    const auto name = first.substr(0, first.find('='));
    const auto meant = suggestion(name, names_of_options(command));
    return fmt::format("not expected: {}{}{}", join(words, " "), meant.empty() ? "" : ".", meant);
  }
  if (commands.empty() || !command.get_options(is_positional).empty())
    return fmt::format("not expected: {}", join(words, " "));
  return fmt::format("there is no command '{}'.{} The commands{} are: {}", first, suggestion(first, commands),
                     &command == &app ? "" : " of " + command.get_name(), join(commands, ", "));
}

bool is_typed(const std::string& name, const std::vector<std::string>& arguments) {
  return std::ranges::any_of(arguments,
                             [&](const std::string& typed) { return typed == name || typed.starts_with(name + "="); });
}

/// An option is called by its first long name. Whoever typed another one does not know that one.
std::string in_typed_names(std::string message, const CLI::App& command, const std::vector<std::string>& arguments) {
  for (const auto* option : command.get_options()) {
    const auto at = message.find(option->get_name());
    if (option->get_lnames().empty() || at != 0) continue;
    for (const auto& name : names_of(*option))
      if (is_typed(name, arguments) && !is_typed(option->get_name(), arguments))
        return message.replace(at, option->get_name().size(), name);
  }
  return message;
}

/// CLI11 says "--untune_file: 1 required TEXT missing", and "--untune_file: At Most 1 required but received 2".
std::string in_plain_words(const std::string& message) {
  const auto name = message.substr(0, message.find(':'));
  if (message.find(": 1 required ") == name.size() && message.ends_with(" missing"))
    return name + ": a value is missing";
  if (message.find(": At Most 1 required") == name.size()) return name + ": found more than one value, expected one";
  return message;
}

/// An option that is not known may be why a later word was taken for something else.
bool has_unknown_option(const CLI::App& app) {
  return std::ranges::any_of(app.remaining(true), [](const std::string& word) { return word.starts_with('-'); });
}

}  // namespace

std::string about_usage(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  const bool is_unexpected = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr || has_unknown_option(app);
  const auto what =
      is_unexpected ? about_unexpected(app) : in_typed_names(in_plain_words(error.what()), innermost(app), arguments);
  return fmt::format("{}\nSee {} --help.", what, full_name(app));
}

}  // namespace gemmtune
