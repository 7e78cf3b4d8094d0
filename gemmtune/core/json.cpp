#include "gemmtune/core/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/core/visible.h"

namespace gemmtune {
namespace {

std::string place(std::string_view text, const std::string& source, std::size_t offset) {
  const auto before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::ranges::count(before, '\n');
  const auto start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return fmt::format("{}:{}:{}", source, line, before.size() - start + 1);
}

/// Finds what nlohmann::json accepts and we do not. Called for each beginning, end and key, while the text is read.
template <typename Json>
class Guard {
 public:
  Guard(const std::string& source, JsonKeys rule) : source_(source), rule_(rule) {}

  using Event = typename Json::parse_event_t;

  bool operator()(int depth, Event event, const Json& value) {
    const bool is_start = event == Event::object_start || event == Event::array_start;
    if (is_start && depth >= json_depth_limit)
      fail(ErrorCode::input, "{}: nested deeper than {} levels", source_, json_depth_limit);
    if (rule_ == JsonKeys::unique) insist_on_unique(event, value);
    if constexpr (std::is_same_v<Json, nlohmann::ordered_json>) insist_on_few(event);
    return true;
  }

 private:
  void insist_on_few(Event event) {
    if (event == Event::object_start) counts_.push_back(0);
    if (event == Event::object_end) counts_.pop_back();
    if (event == Event::key && ++counts_.back() > ordered_keys_limit)
      fail(ErrorCode::input, "{}: an object has more than {} keys", source_, ordered_keys_limit);
  }

  void insist_on_unique(Event event, const Json& value) {
    if (event == Event::object_start) keys_.emplace_back();
    if (event == Event::object_end) keys_.pop_back();
    if (event != Event::key) return;
    const auto key = value.template get<std::string>();
    if (!keys_.back().insert(key).second)
      fail(ErrorCode::input, "{}: the key \"{}\" stands twice in one object", source_, visible_start(key));
  }

  const std::string& source_;
  JsonKeys rule_;
  std::vector<std::set<std::string>> keys_{};  // of the objects that are open
  std::vector<std::size_t> counts_{};          // of their keys
};

/// The message without nlohmann's prefix and position, which ours replace.
std::string reason(const nlohmann::json::exception& error) {
  std::string_view message = error.what();  // "[json.exception.…] parse error at line 1, column 7: …"
  if (const auto prefix = message.find("] "); prefix != std::string_view::npos) message.remove_prefix(prefix + 2);
  const auto position = message.find(": ");
  if (message.starts_with("parse error") && position != std::string_view::npos) message.remove_prefix(position + 2);
  return visible_start(message);
}

/// Where the text has what the message quotes: nlohmann gives no position for numbers.
std::size_t offset_of_quoted(std::string_view message, std::string_view text) {
  const auto first = message.find('\'');
  const auto last = message.rfind('\'');
  if (first == std::string_view::npos || last <= first + 1) return 0;
  const auto offset = text.find(message.substr(first + 1, last - first - 1));
  return offset == std::string_view::npos ? 0 : offset;
}

template <typename Json>
Json parse(std::string_view text, const std::string& source, JsonKeys keys) {
  try {
    return Json::parse(text, Guard<Json>(source, keys));
  } catch (const nlohmann::json::parse_error& error) {
    fail(ErrorCode::input, "{}: not JSON: {}", place(text, source, error.byte > 0 ? error.byte - 1 : 0), reason(error));
  } catch (const nlohmann::json::exception& error) {  // a number too large for a double
    fail(ErrorCode::input, "{}: {}", place(text, source, offset_of_quoted(error.what(), text)), reason(error));
  }
}

/// Of text that is JSON.
int levels_of(std::string_view text) {
  int level = 0, most = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') in_string = !in_string;
    if (in_string && text[i] == '\\') ++i;
    if (in_string) continue;
    if (text[i] == '[' || text[i] == '{') most = std::max(most, ++level);
    if (text[i] == ']' || text[i] == '}') --level;
  }
  return most;
}

std::string ascii_escaped(const std::string& character) {
  if (character == "\x7f") return "\\u007f";  // nlohmann leaves it
  const auto quoted = nlohmann::json(character).dump(-1, ' ', true);
  return quoted.substr(1, quoted.size() - 2);
}

/// Writes as \u escapes what visible() would show as \u{…}. Such characters only occur within strings.
std::string without_controls(const std::string& text) {
  std::string safe;
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t bytes = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    const auto character = text.substr(at, bytes);
    const bool is_safe = (bytes == 1 && lead != 0x7f) || visible(character) == character;
    safe += is_safe ? character : ascii_escaped(character);
    at += bytes;
  }
  return safe;
}

template <typename Json>
std::string dumped(const Json& value, int indent) {
  return without_controls(value.dump(indent, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

nlohmann::json parse_json(std::string_view text, const std::string& source, JsonKeys keys) {
  return parse<nlohmann::json>(text, source, keys);
}

nlohmann::ordered_json parse_ordered_json(std::string_view text, const std::string& source, JsonKeys keys) {
  return parse<nlohmann::ordered_json>(text, source, keys);
}

bool is_json(std::string_view text, int levels_around) {
  return nlohmann::json::accept(text) && levels_of(text) + levels_around <= json_depth_limit;
}

std::string json_text(const nlohmann::json& value, int indent) { return dumped(value, indent); }
std::string json_text(const nlohmann::ordered_json& value, int indent) { return dumped(value, indent); }

}  // namespace gemmtune
