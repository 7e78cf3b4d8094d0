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

/// Finds keys that nlohmann::json accepts and we do not, before anything is built. The reader that builds calls back
/// too, but looks through all members of an array or object at the end of each of them.
class KeyGuard final : public nlohmann::json_sax<nlohmann::json> {
 public:
  KeyGuard(const std::string& source, JsonKeys rule, std::size_t most) : source_(source), rule_(rule), most_(most) {}

  bool start_object(std::size_t /*size*/) override {
    keys_.emplace_back();
    counts_.push_back(0);
    return true;
  }

  bool key(std::string& key) override {
    if (++counts_.back() > most_) fail(ErrorCode::input, "{}: an object has more than {} keys", source_, most_);
    if (rule_ == JsonKeys::unique && !keys_.back().insert(key).second)
      fail(ErrorCode::input, "{}: the key \"{}\" stands twice in one object", source_, visible_start(key));
    return true;
  }

  bool end_object() override {
    keys_.pop_back();
    counts_.pop_back();
    return true;
  }

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool string(string_t& /*value*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_array(std::size_t /*size*/) override { return true; }
  bool end_array() override { return true; }

  /// The reader that builds reports it, with its place.
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const nlohmann::json::exception& /*why*/) override {
    return false;
  }

 private:
  const std::string& source_;
  JsonKeys rule_;
  std::size_t most_;
  std::vector<std::set<std::string>> keys_{};  // of the objects that are open
  std::vector<std::size_t> counts_{};          // of their keys
};

/// What nlohmann::json accepts and we do not ends in an Error.
template <typename Json>
void guard(std::string_view text, const std::string& source, JsonKeys keys) {
  constexpr bool is_ordered = std::is_same_v<Json, nlohmann::ordered_json>;
  if (json_levels(text) > json_depth_limit)
    fail(ErrorCode::input, "{}: nested deeper than {} levels", source, json_depth_limit);
  if (keys == JsonKeys::any && !is_ordered) return;
  KeyGuard guard(source, keys, is_ordered ? ordered_keys_limit : text.size());
  static_cast<void>(nlohmann::json::sax_parse(text, &guard));
}

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
  guard<Json>(text, source, keys);
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    fail(ErrorCode::input, "{}: not JSON: {}", place(text, source, error.byte > 0 ? error.byte - 1 : 0), reason(error));
  } catch (const nlohmann::json::exception& error) {  // a number too large for a double
    fail(ErrorCode::input, "{}: {}", place(text, source, offset_of_quoted(error.what(), text)), reason(error));
  }
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

int json_levels(std::string_view text) {
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

bool is_json(std::string_view text, int levels_around) {
  return nlohmann::json::accept(text) && json_levels(text) + levels_around <= json_depth_limit;
}

std::string json_text(const nlohmann::json& value, int indent) { return dumped(value, indent); }
std::string json_text(const nlohmann::ordered_json& value, int indent) { return dumped(value, indent); }

}  // namespace gemmtune
