// Small text functions that the standard library lacks. Formatting is done with fmt.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gemmtune {

/// The text without blanks, tabs, CR and LF at both ends.
std::string_view trim(std::string_view text);

/// Splits at each separator; "a,,b" gives three pieces, "" gives one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Deleted, because the pieces of a temporary string would dangle.
template <typename String>
requires std::same_as<String, std::string>
void split(String&& text, char separator) = delete;

std::string join(const std::vector<std::string>& pieces, std::string_view separator);

std::string to_lower(std::string_view text);

/// Compares without regard to the case of ASCII letters.
bool equals_ignoring_case(std::string_view a, std::string_view b);

/// The whole text as a number. Empty when there are leading blanks or trailing characters.
std::optional<std::int64_t> parse_int(std::string_view text);
std::optional<double> parse_double(std::string_view text);

/// Accepts yes/true/t/y/1 and no/false/f/n/0 in upper and lower case, as AITER's flags do.
std::optional<bool> parse_bool(std::string_view text);

/// The shortest text that parses back to the same double: 0.78, 21.0, inf, nan (Python's repr).
std::string shortest(double value);

/// FNV-1a, 64 bits: stable between runs and machines, for keys and seeds; not for security.
std::uint64_t hash64(std::string_view text, std::uint64_t seed = 0xcbf29ce484222325ULL);

}  // namespace gemmtune
