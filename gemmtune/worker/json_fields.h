// Reads the members of one JSON object by name. Every refusal is an Error{protocol} that names the member's path:
// "evaluation.timing.median_us: expected a number, found a string". Members nobody asks for are ignored.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace gemmtune {

/// Refers to the value: it must outlive this.
class JsonFields {
 public:
  /// `path` is what messages call the value: "evaluation".
  JsonFields(const nlohmann::json& value, std::string path);

  bool has(const char* key) const;

  /// These throw when the member is missing or something else.
  std::string text(const char* key) const;
  double number(const char* key) const;  // null is NaN: JSON has no other way to say it
  std::int64_t integer(const char* key) const;
  std::int64_t count(const char* key) const;  // an integer of at least 0
  std::uint64_t unsigned_integer(const char* key) const;
  bool flag(const char* key) const;
  JsonFields object(const char* key) const;
  const nlohmann::json& array(const char* key) const;
  const nlohmann::json& member(const char* key) const;

  std::vector<std::string> texts(const char* key) const;
  std::vector<double> numbers(const char* key) const;
  std::map<std::string, std::string> text_map(const char* key) const;

  /// "evaluation.outcome".
  std::string path_of(const char* key) const { return path_ + "." + key; }

 private:
  const nlohmann::json& value_;
  std::string path_;
};

/// Throws Error{protocol}: "<path>: expected <expected>, found a string".
[[noreturn]] void fail_unexpected(const std::string& path, const char* expected, const nlohmann::json& found);

}  // namespace gemmtune
