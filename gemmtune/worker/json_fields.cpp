#include "gemmtune/worker/json_fields.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/core/visible.h"
#include "gemmtune/worker/quote.h"

namespace gemmtune {

using nlohmann::json;

namespace {

std::string describe(const json& value) {
  switch (value.type()) {
    case json::value_t::string:
      return "the string " + quote(value.get_ref<const std::string&>(), 60);
    case json::value_t::object:
      return "an object";
    case json::value_t::array:
      return "an array";
    case json::value_t::null:
      return "null";
    default:
      return value.dump();
  }
}

double number_in(const json& value, const std::string& path) {
  if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (!value.is_number()) fail_unexpected(path, "a number", value);
  return value.get<double>();
}

std::string text_in(const json& value, const std::string& path) {
  if (!value.is_string()) fail_unexpected(path, "a string", value);
  return value.get<std::string>();
}

std::int64_t integer_in(const json& value, const std::string& path) {
  const bool too_big = value.is_number_unsigned() &&
                       value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  if (!value.is_number_integer() || too_big) fail_unexpected(path, "an integer", value);
  return value.get<std::int64_t>();
}

std::int64_t count_in(const json& value, const std::string& path) {
  const std::int64_t count = integer_in(value, path);
  if (count < 0) fail_unexpected(path, "an integer of at least 0", value);
  return count;
}

std::string indexed(const std::string& path, std::size_t index) { return path + "[" + std::to_string(index) + "]"; }

}  // namespace

void fail_unexpected(const std::string& path, const char* expected, const json& found) {
  fail(ErrorCode::protocol, "{}: expected {}, found {}", path, expected, describe(found));
}

JsonFields::JsonFields(const json& value, std::string path) : value_(value), path_(std::move(path)) {
  if (!value.is_object()) fail_unexpected(path_, "an object", value);
}

bool JsonFields::has(const char* key) const { return value_.contains(key); }

const json& JsonFields::member(const char* key) const {
  const auto found = value_.find(key);
  if (found == value_.end()) fail(ErrorCode::protocol, "{}: missing", path_of(key));
  return *found;
}

std::string JsonFields::text(const char* key) const { return text_in(member(key), path_of(key)); }

std::string JsonFields::shown_text(const char* key) const { return visible_line(text(key)); }

double JsonFields::number(const char* key) const { return number_in(member(key), path_of(key)); }

std::int64_t JsonFields::integer(const char* key) const { return integer_in(member(key), path_of(key)); }

std::int64_t JsonFields::count(const char* key) const { return count_in(member(key), path_of(key)); }

std::uint64_t JsonFields::unsigned_integer(const char* key) const {
  const json& value = member(key);
  if (!value.is_number_unsigned() && !(value.is_number_integer() && value.get<std::int64_t>() >= 0)) {
    fail_unexpected(path_of(key), "an integer of at least 0", value);
  }
  return value.get<std::uint64_t>();
}

bool JsonFields::flag(const char* key) const {
  const json& value = member(key);
  if (!value.is_boolean()) fail_unexpected(path_of(key), "true or false", value);
  return value.get<bool>();
}

JsonFields JsonFields::object(const char* key) const { return {member(key), path_of(key)}; }

const json& JsonFields::array(const char* key) const {
  const json& value = member(key);
  if (!value.is_array()) fail_unexpected(path_of(key), "an array", value);
  return value;
}

std::vector<std::string> JsonFields::shown_texts(const char* key) const {
  std::vector<std::string> result;
  for (const json& item : array(key))
    result.push_back(visible_line(text_in(item, indexed(path_of(key), result.size()))));
  return result;
}

std::vector<double> JsonFields::numbers(const char* key) const {
  std::vector<double> result;
  for (const json& item : array(key)) result.push_back(number_in(item, indexed(path_of(key), result.size())));
  return result;
}

std::vector<std::int64_t> JsonFields::counts(const char* key) const {
  std::vector<std::int64_t> result;
  for (const json& item : array(key)) result.push_back(count_in(item, indexed(path_of(key), result.size())));
  return result;
}

std::map<std::string, std::string> JsonFields::shown_text_map(const char* key) const {
  const json& value = member(key);
  if (!value.is_object()) fail_unexpected(path_of(key), "an object", value);
  std::map<std::string, std::string> result;
  for (const auto& [raw, text] : value.items()) {
    const std::string name = visible_line(raw);
    result.emplace(name, visible_line(text_in(text, path_of(key) + "." + name)));
  }
  return result;
}

}  // namespace gemmtune
