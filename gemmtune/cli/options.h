// Declares the options of commands. Hides CLI11, whose header would add ten seconds to the compilation of each
// command. Names are CLI11's: "-o,--output", or "list" for a positional argument.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gemmtune {

/// One option of a command. What its functions declare is checked against what the user writes.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option required() const;
  Option positive() const;
  Option not_negative() const;
  Option in_range(double low, double high) const;
  Option one_of(const std::vector<std::string>& words) const;
  Option excludes(const Option& other) const;
  Option expected(int least, int most) const;  // number of values; -1: any number
  Option one_value_each() const;               // its name precedes every value
  Option split_at(char delimiter) const;

 private:
  CLI::Option* option_;
};

/// The options of one command, and its subcommands. Refers to the parser, which must outlive it.
class Options {
 public:
  explicit Options(CLI::App& app) : app_(&app) {}

  /// Values are written to `value`, which must outlive the parser. For strings, numbers, optionals and vectors;
  /// options.cpp lists the types.
  template <typename Value>
  Option add_option(const std::string& names, Value& value) const;
  Option add_flag(const std::string& names, bool& value) const;

  /// A subcommand with the help of docs/cli/<page>.md. At most one subcommand is chosen.
  Options add_command(const std::string& name, const std::string& page) const;
  bool is_chosen() const;

  /// Everything after the known options belongs to another program.
  void keep_rest() const;
  std::vector<std::string> rest() const;

 private:
  CLI::App* app_;
};

}  // namespace gemmtune
