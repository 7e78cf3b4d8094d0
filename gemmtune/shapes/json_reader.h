// Reads fields of a model's config.json, with messages that name the file and the field.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace gemmtune {

class JsonReader {
 public:
  /// `json` must outlive the reader. Throws Error{input} if it is not an object.
  JsonReader(const nlohmann::json& json, std::string source);

  bool has(const char* name) const;  // and the field is not null

  /// A whole number above 0, under the first of these names that exists.
  std::int64_t size(std::initializer_list<const char*> names) const;
  std::optional<std::int64_t> optional_size(std::initializer_list<const char*> names) const;

  /// A whole number that is not negative.
  std::int64_t count_or(const char* name, std::int64_t otherwise) const;

  std::optional<bool> flag(const char* name) const;
  std::optional<std::string> text(const char* name) const;

  /// Throws an error such as: config.json: hidden_size: found "x", expected …
  [[noreturn]] void wrong(const char* name, const std::string& expected) const;

 private:
  const nlohmann::json& json_;
  std::string source_;
};

}  // namespace gemmtune
