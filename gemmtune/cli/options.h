// What commands declare their options with: a front of CLI11's, whose header would cost each of them ten seconds of
// compiling. Names are CLI11's: "-o,--output", or "list" for what has no dashes.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gemmtune {

/// One option of a command; what is said of it is held against what the user writes.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option required() const;
  Option positive() const;
  Option not_negative() const;
  Option in_range(double low, double high) const;
  Option one_of(const std::vector<std::string>& words) const;
  Option excludes(const Option& other) const;
  Option expected(int least, int most) const;  // values; -1: any number
  Option one_value_each() const;               // its name stands before every value
  Option split_at(char delimiter) const;

 private:
  CLI::Option* option_;
};

/// The options of one command and the commands under it. Refers to the parser, which outlives it.
class Options {
 public:
  explicit Options(CLI::App& app) : app_(&app) {}

  /// Values go to `value`, which outlives the parser. For strings, numbers, optionals and vectors of them; options.cpp
  /// lists the types.
  template <typename Value>
  Option add_option(const std::string& names, Value& value) const;
  Option add_flag(const std::string& names, bool& value) const;

  /// A command under this one, with the help of docs/cli/<page>.md. At most one is chosen.
  Options add_command(const std::string& name, const std::string& page) const;
  bool is_chosen() const;

  /// What follows the options that are known belongs to somebody else.
  void keep_rest() const;
  std::vector<std::string> rest() const;

 private:
  CLI::App* app_;
};

}  // namespace gemmtune
