#include "gemmtune/shapes/json_reader.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/core/json.h"
#include "gemmtune/core/text.h"
#include "gemmtune/core/visible.h"

namespace gemmtune {
namespace {

constexpr std::int64_t largest = std::int64_t{1} << 28;  // products of two, and sums of these, are int64_t

}  // namespace

JsonReader::JsonReader(const nlohmann::json& json, std::string source) : json_(json), source_(std::move(source)) {
  if (!json_.is_object()) fail(ErrorCode::input, "{}: expected a JSON object", source_);
}

bool JsonReader::has(const char* name) const { return json_.contains(name) && !json_[name].is_null(); }

void JsonReader::wrong(const char* name, const std::string& expected) const {
  fail(ErrorCode::input, "{}: {}: found {}, expected {}", source_, name, visible_start(json_text(json_[name], -1)),
       expected);
}

std::optional<std::int64_t> JsonReader::optional_size(std::initializer_list<const char*> names) const {
  for (const auto* name : names) {
    if (!has(name)) continue;
    const auto value = count_or(name, 0);
    if (value < 1) wrong(name, "a whole number above 0");
    return value;
  }
  return std::nullopt;
}

std::int64_t JsonReader::size(std::initializer_list<const char*> names) const {
  if (const auto value = optional_size(names)) return *value;
  const std::vector<std::string> all(names.begin(), names.end());
  fail(ErrorCode::input, "{}: there is no {}", source_, join(all, " or "));
}

std::int64_t JsonReader::count_or(const char* name, std::int64_t otherwise) const {
  if (!has(name)) return otherwise;
  const auto& value = json_[name];
  const bool whole =
      value.is_number_integer() && (!value.is_number_unsigned() || value.get<std::uint64_t>() <= largest);
  if (!whole || value.get<std::int64_t>() < 0 || value.get<std::int64_t>() > largest)
    wrong(name, fmt::format("a whole number from 0 to {}", largest));
  return value.get<std::int64_t>();
}

std::optional<bool> JsonReader::flag(const char* name) const {
  if (!has(name)) return std::nullopt;
  if (!json_[name].is_boolean()) wrong(name, "true or false");
  return json_[name].get<bool>();
}

std::optional<std::string> JsonReader::text(const char* name) const {
  if (!has(name)) return std::nullopt;
  if (!json_[name].is_string()) wrong(name, "a text");
  return json_[name].get<std::string>();
}

}  // namespace gemmtune
