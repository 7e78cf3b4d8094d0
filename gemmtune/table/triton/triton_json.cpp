#include "gemmtune/table/triton/triton_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"

namespace gemmtune {
namespace {

using Json = nlohmann::ordered_json;

constexpr int deepest_nesting = 32;  // limited because writing is recursive

std::string where(std::string_view text, const std::string& source, std::size_t offset) {
  const auto before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::ranges::count(before, '\n');
  const auto start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return fmt::format("{}:{}:{}", source, line, before.size() - start + 1);
}

/// Rejects what nlohmann::json accepts and we do not: the second of two equal keys would silently replace the first.
class Guard {
 public:
  explicit Guard(const std::string& source) : source_(source) {}

  bool operator()(int depth, Json::parse_event_t event, const Json& value) {
    if (depth > deepest_nesting) fail(ErrorCode::input, "{}: nested deeper than {} levels", source_, deepest_nesting);
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key && !keys_.back().insert(value.get<std::string>()).second)
      fail(ErrorCode::input, "{}: the key {} stands twice in one object", source_, value.dump());
    return true;
  }

 private:
  const std::string& source_;
  std::vector<std::set<std::string>> keys_;  // keys of the objects that are open
};

/// The message without nlohmann's prefix and position, which ours replace.
std::string reason(const Json::exception& error) {
  const std::string_view message = error.what();
  const auto position = message.rfind(": ");
  const auto prefix = message.find("] ");
  if (position != std::string_view::npos) return std::string(message.substr(position + 2));
  return std::string(prefix == std::string_view::npos ? message : message.substr(prefix + 2));
}

Json parse(std::string_view text, const std::string& source) {
  try {
    return Json::parse(text, Guard(source));
  } catch (const Json::parse_error& error) {
    fail(ErrorCode::input, "{}: not JSON: {}", where(text, source, error.byte > 0 ? error.byte - 1 : 0), reason(error));
  } catch (const Json::out_of_range& error) {  // a number too large for a double
    fail(ErrorCode::input, "{}: {}", source, reason(error));
  }
}

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
  const auto json = parse(text, file.source);
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
  for (const auto& entry : file.entries) json[entry.key] = value_of(entry);
  return json.dump(file.indent) + (file.final_newline ? "\n" : "");
}

}  // namespace gemmtune
