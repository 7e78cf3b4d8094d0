// A TOML file that users write, and errors that point into it.
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <string>

namespace gemmtune {

class TomlFile {
 public:
  /// Throws Error{input} with the path if it cannot be read, and with file:line:column if it is no TOML. The path must
  /// live as long as this object.
  explicit TomlFile(const std::filesystem::path& path);

  const toml::table& root() const { return root_; }

  /// Throws Error{input} with the node's file:line:column.
  [[noreturn]] void complain(const toml::node& node, const std::string& why) const;

 private:
  const std::filesystem::path& path_;
  toml::table root_;
};

}  // namespace gemmtune
