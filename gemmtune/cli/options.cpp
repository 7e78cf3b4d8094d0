#include "gemmtune/cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <system_error>
#include <type_traits>

#include "gemmtune/cli/help.h"
#include "gemmtune/core/text.h"

namespace gemmtune {

Option Option::required() const { return Option(*option_->required()); }
namespace {

std::string found_but(const std::string& text, std::string_view expected) {
  return fmt::format("found '{}', expected {}", text, expected);
}

std::string why_not_positive(const std::string& text) {
  const auto value = parse_double(text);
  return value && *value > 0 ? "" : found_but(text, "a number above 0");
}

std::string why_negative(const std::string& text) {
  const auto value = parse_double(text);
  return value && *value >= 0 ? "" : found_but(text, "a number from 0");
}

}  // namespace

Option Option::positive() const { return Option(*option_->check(why_not_positive)); }
Option Option::not_negative() const { return Option(*option_->check(why_negative)); }

Option Option::in_range(double low, double high) const {
  const auto why_outside = [low, high](const std::string& text) {
    const auto value = parse_double(text);
    return value && *value >= low && *value <= high ? ""
                                                    : found_but(text, fmt::format("a number from {} to {}", low, high));
  };
  return Option(*option_->check(why_outside));
}

Option Option::one_of(const std::vector<std::string>& words) const {
  const auto why_none = [words](const std::string& text) {
    return std::ranges::count(words, text) > 0 ? "" : found_but(text, "one of " + join(words, ", "));
  };
  return Option(*option_->check(why_none));
}

Option Option::excludes(const Option& other) const { return Option(*option_->excludes(other.option_)); }
Option Option::expected(int least, int most) const { return Option(*option_->expected(least, most)); }
Option Option::one_value_each() const { return Option(*option_->allow_extra_args(false)); }
Option Option::split_at(char delimiter) const { return Option(*option_->delimiter(delimiter)); }

namespace {

/// Comparisons with nan are all false, so it would pass every check of a range. CLI11 reads 1e999 as inf.
std::string why_no_number(const std::string& text) {
  double value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range)
    return fmt::format("found '{}', expected a number that is not as large", text);
  return error == std::errc() && std::isnan(value) ? fmt::format("found '{}', expected a number", text) : std::string();
}

/// CLI11 reads a whole number that is too large as the largest one, and -1 as the largest one that has no sign.
template <typename Whole>
std::string why_no_whole_number(const std::string& text) {
  Whole value{};
  const auto* start = text.data() + (text.starts_with('+') ? 1 : 0);
  const auto [end, error] = std::from_chars(start, text.data() + text.size(), value);
  const bool is_below = std::is_unsigned_v<Whole> && text.starts_with('-');
  if (error != std::errc::result_out_of_range && !is_below) return {};
  return fmt::format("found '{}', expected a number from {} to {}", text, std::numeric_limits<Whole>::min(),
                     std::numeric_limits<Whole>::max());
}

template <typename Value>
struct NumberIn {
  using type = Value;
};
template <typename Value>
struct NumberIn<std::optional<Value>> {
  using type = Value;
};
template <typename Value>
struct NumberIn<std::vector<Value>> {
  using type = Value;
};

}  // namespace

template <typename Value>
Option Options::add_option(const std::string& names, Value& value) const {
  auto* option = app_->add_option(names, value);
  using Number = typename NumberIn<Value>::type;
  if constexpr (std::is_floating_point_v<Number>) option->check(why_no_number);
  if constexpr (std::is_integral_v<Number> && !std::is_same_v<Number, bool>) option->check(why_no_whole_number<Number>);
  return Option(*option);
}

Option Options::add_flag(const std::string& names, bool& value) const { return Option(*app_->add_flag(names, value)); }

Options Options::add_command(const std::string& name, const std::string& page) const {
  app_->require_subcommand(0, 1);
  auto* command = app_->add_subcommand(name);
  show_help_page(*command, page);
  return Options(*command);
}

bool Options::is_chosen() const { return app_->parsed(); }

void Options::keep_rest() const { app_->prefix_command(); }
std::vector<std::string> Options::rest() const { return app_->remaining(); }

template Option Options::add_option(const std::string&, std::string&) const;
template Option Options::add_option(const std::string&, bool&) const;
template Option Options::add_option(const std::string&, double&) const;
template Option Options::add_option(const std::string&, std::int64_t&) const;
template Option Options::add_option(const std::string&, std::uint64_t&) const;
template Option Options::add_option(const std::string&, std::optional<std::string>&) const;
template Option Options::add_option(const std::string&, std::optional<double>&) const;
template Option Options::add_option(const std::string&, std::optional<std::size_t>&) const;
template Option Options::add_option(const std::string&, std::optional<std::int64_t>&) const;
template Option Options::add_option(const std::string&, std::vector<std::string>&) const;
template Option Options::add_option(const std::string&, std::vector<std::int64_t>&) const;

}  // namespace gemmtune
