#include "gemmtune/core/toml_file.h"

#include <string_view>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/visible.h"

namespace gemmtune {
namespace {

toml::table parsed(const std::filesystem::path& path) {
  const auto text = read_file(path);
  try {
    return toml::parse(std::string_view(text), path.string());
  } catch (const toml::parse_error& error) {
    const auto& at = error.source().begin;
    fail(ErrorCode::input, "{}:{}:{}: {}", path.string(), at.line, at.column, visible_line(error.description()));
  }
}

}  // namespace

TomlFile::TomlFile(const std::filesystem::path& path) : path_(path), root_(parsed(path)) {}

void TomlFile::complain(const toml::node& node, const std::string& why) const {
  const auto& at = node.source().begin;
  fail(ErrorCode::input, "{}:{}:{}: {}", path_.string(), at.line, at.column, why);
}

}  // namespace gemmtune
