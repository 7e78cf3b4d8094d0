// Reads JSON that others wrote, and writes JSON for others to read: the one place for both.
// Reading is safe for any bytes: nesting has a limit, because writing and comparing a deep value would end the process.
// Workers' messages have their own reader (worker/messages.h), with the protocol's limit and errors.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace gemmtune {

/// Arrays and objects within each other. Configurations of models and kernels have less than 10.
inline constexpr int json_depth_limit = 32;

/// Keys of one object whose order is kept: finding one of them takes time in proportion to their number.
inline constexpr std::size_t ordered_keys_limit = 4096;

/// Which keys an object may have. JSON leaves open what two equal keys mean.
enum class JsonKeys { any, unique };

/// Throws Error{input} with the place in `source`: for what is not JSON, for a number that no double holds, for deep
/// nesting, and for a key that stands twice although it must not.
nlohmann::json parse_json(std::string_view text, const std::string& source, JsonKeys keys = JsonKeys::any);

/// The same, with the members of objects in the order of the text. An object may have ordered_keys_limit keys.
nlohmann::ordered_json parse_ordered_json(std::string_view text, const std::string& source,
                                          JsonKeys keys = JsonKeys::any);

/// How deep arrays and objects are nested in a text that is JSON. Of another text: up to where it is none, at least.
int json_levels(std::string_view text);

/// Whether the text is JSON that parse_json() reads, also where it stands within as many further levels.
bool is_json(std::string_view text, int levels_around = 0);

/// On several lines with this indent, or on one line if it is negative. Bytes that are not UTF-8 become U+FFFD, and
/// characters that a terminal could obey become \u escapes. Never throws for a value that parse_json() made.
std::string json_text(const nlohmann::json& value, int indent = 2);
std::string json_text(const nlohmann::ordered_json& value, int indent = 2);

}  // namespace gemmtune
