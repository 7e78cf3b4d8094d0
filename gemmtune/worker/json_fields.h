// Reads the members of one JSON object by name. Every failure is an Error{protocol} that gives the path of the member:
// "evaluation.timing.median_us: expected a number, found a string". Members that are not asked for are ignored.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace gemmtune {

/// Keeps a reference to the value, which must outlive this object.
class JsonFields {
 public:
  /// `path` is the name of the value in messages: "evaluation".
  JsonFields(const nlohmann::json& value, std::string path);

  bool has(const char* key) const;

  /// Each of these throws when the member is missing or has another type.
  std::string text(const char* key) const;
  std::string shown_text(const char* key) const;  // for people to read: one printable line (core/visible.h)
  double number(const char* key) const;           // null becomes NaN: JSON cannot express NaN otherwise
  std::int64_t integer(const char* key) const;
  std::int64_t count(const char* key) const;  // an integer of at least 0
  std::uint64_t unsigned_integer(const char* key) const;
  bool flag(const char* key) const;
  JsonFields object(const char* key) const;
  const nlohmann::json& array(const char* key) const;
  const nlohmann::json& member(const char* key) const;

  std::vector<std::string> shown_texts(const char* key) const;
  std::vector<double> numbers(const char* key) const;
  std::vector<std::int64_t> counts(const char* key) const;
  std::map<std::string, std::string> shown_text_map(const char* key) const;

  /// "evaluation.outcome".
  std::string path_of(const char* key) const { return path_ + "." + key; }

 private:
  const nlohmann::json& value_;
  std::string path_;
};

/// Throws Error{protocol}: "<path>: expected <expected>, found a string".
[[noreturn]] void fail_unexpected(const std::string& path, const char* expected, const nlohmann::json& found);

}  // namespace gemmtune
