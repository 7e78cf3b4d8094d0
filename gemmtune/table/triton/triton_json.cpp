#include "gemmtune/table/triton/triton_json.h"

#include <nlohmann/json.hpp>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/json.h"

namespace gemmtune {
namespace {

using Json = nlohmann::ordered_json;

TritonEntry entry_from(const std::string& key, const Json& value) {
  TritonEntry entry{.key = key};
  if (!value.is_object()) entry.other = value.dump();
  if (value.is_object())
    for (const auto& [name, setting] : value.items()) entry.params.push_back({name, setting.dump()});
  return entry;
}

/// The number of blanks before the first key, as json.dump(indent=…) writes them.
int indent_of(std::string_view text) {
  const auto line = text.find('\n');
  if (line == std::string_view::npos) return 4;
  const auto key = text.find_first_not_of(' ', line + 1);
  const auto blanks = key == std::string_view::npos ? 0 : key - line - 1;
  return blanks == 0 || blanks > 8 ? 4 : static_cast<int>(blanks);
}

Json value_of(const TritonEntry& entry) {
  if (!entry.other.empty()) return Json::parse(entry.other);
  Json value = Json::object();
  for (const auto& [key, text] : entry.params) value[key] = Json::parse(text);
  return value;
}

}  // namespace

TritonFile parse_triton_json(std::string_view text, std::string source) {
  TritonFile file{.source = std::move(source), .indent = indent_of(text), .final_newline = text.ends_with('\n')};
  const auto json = parse_ordered_json(text, file.source, JsonKeys::unique);
  if (!json.is_object())
    fail(ErrorCode::input, "{}:1:1: found {}, expected an object of configurations", file.source, json.type_name());
  for (const auto& [key, value] : json.items()) file.entries.push_back(entry_from(key, value));
  return file;
}

TritonFile read_triton_json(const std::filesystem::path& path) {
  return parse_triton_json(read_file(path), path.string());
}

std::string triton_json_text(const TritonFile& file) {
  Json json = Json::object();
  // Keys are unique already, and looking for each of them would take time in proportion to the square of their number.
  auto& members = json.get_ref<Json::object_t&>();
  for (const auto& entry : file.entries) members.push_back({entry.key, value_of(entry)});
  return json.dump(file.indent) + (file.final_newline ? "\n" : "");
}

}  // namespace gemmtune
