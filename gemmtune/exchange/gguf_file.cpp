#include "gemmtune/exchange/gguf_file.h"

#include <array>
#include <bit>
#include <fstream>
#include <limits>
#include <set>

#include "gemmtune/core/error.h"
#include "gemmtune/core/visible.h"
#include "gemmtune/exchange/gguf_bytes.h"
#include "gemmtune/exchange/gguf_types.h"

namespace gemmtune {
namespace {

constexpr std::string_view magic = "GGUF";
constexpr std::uint64_t longest_key = 65535;       // of the format's description
constexpr std::uint64_t longest_name = 1024;       // ggml allows 63 bytes
constexpr std::uint64_t longest_text = 64U << 20;  // chat templates have some kilobytes
constexpr std::uint64_t longest_array = 4096;      // one number for each layer
constexpr std::uint64_t most_entries = 1U << 20;   // of metadata, and of tensors
constexpr int deepest_array = 8;
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

/// The kinds of values of metadata, with their numbers in files.
enum class Kind : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, text, array, u64, i64, f64 };
constexpr std::array<unsigned, 13> widths{1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

unsigned width_of(Kind kind) { return widths[static_cast<std::size_t>(kind)]; }

/// How many bytes an element has at least: a text has its length, an array its kind and its count.
std::uint64_t smallest(Kind kind) { return kind == Kind::text ? 8 : kind == Kind::array ? 12 : width_of(kind); }

bool is_whole(Kind kind) {
  return kind != Kind::f32 && kind != Kind::f64 && kind != Kind::boolean && kind != Kind::text && kind != Kind::array;
}

bool is_signed(Kind kind) { return kind == Kind::i8 || kind == Kind::i16 || kind == Kind::i32 || kind == Kind::i64; }

std::int64_t extended(std::uint64_t raw, unsigned width) {
  const auto unused = 64 - 8 * width;
  return static_cast<std::int64_t>(raw << unused) >> unused;
}

class HeaderReader {
 public:
  HeaderReader(std::istream& stream, std::uint64_t bytes, const std::string& source) : bytes_(stream, bytes, source) {
    file_.source = source;
    file_.file_bytes = bytes;
  }

  GgufFile read() {
    read_version();
    const auto tensors = entries(8 + 4 + 8 + 4 + 8, "the number of tensors");
    const auto keys = entries(8 + 4 + 1, "the number of metadata entries");
    for (std::uint64_t i = 0; i < keys; ++i) read_entry();
    const auto alignment = read_alignment();
    for (std::uint64_t i = 0; i < tensors; ++i) read_tensor();
    file_.data_begin = (bytes_.at() + alignment - 1) / alignment * alignment;
    for (auto& tensor : file_.tensors) place(tensor, alignment);
    return std::move(file_);
  }

 private:
  void read_version() {
    std::string found;
    for (std::size_t i = 0; i < magic.size(); ++i) found += static_cast<char>(bytes_.number(1, "'GGUF'"));
    if (found != magic)
      fail(ErrorCode::input, "{}: found '{}', expected a file that begins with 'GGUF'", file_.source, visible(found));
    file_.version = bytes_.u32("the version");
    if (file_.version == 2 || file_.version == 3) return;
    if ((file_.version & 0xffffU) == 0) bytes_.wrong("it is a big-endian file; little-endian ones can be read");
    bytes_.wrong("found version {}, expected 2 or 3", file_.version);
  }

  std::uint64_t entries(std::uint64_t smallest_entry, std::string_view what) {
    const auto found = bytes_.count(smallest_entry, what);
    if (found > most_entries) bytes_.wrong("found {} as {}, expected at most {}", found, what, most_entries);
    return found;
  }

  void read_entry() {
    auto key = bytes_.text(longest_key, "a key");
    const auto kind = read_kind(key);
    auto value = kind == Kind::array ? read_array(key) : read_scalar(kind, key);
    const auto [at, is_new] = file_.metadata.try_emplace(std::move(key), std::move(value));
    if (!is_new) bytes_.wrong("the key {} occurs twice", visible_start(at->first));
  }

  Kind read_kind(const std::string& key) {
    const auto found = bytes_.u32("a kind of value");
    if (found >= widths.size())
      bytes_.wrong("{}: found {} as its kind of value, expected 0 to 12", visible_start(key), found);
    return static_cast<Kind>(found);
  }

  GgufValue read_scalar(Kind kind, const std::string& key) {
    if (kind == Kind::text) return bytes_.text(longest_text, "a text");
    const auto raw = bytes_.number(width_of(kind), "a value");
    if (kind == Kind::f32) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(raw)));
    if (kind == Kind::f64) return std::bit_cast<double>(raw);
    if (kind != Kind::boolean) return whole(kind, raw);
    if (raw > 1) bytes_.wrong("{}: found {}, expected 0 or 1 for a boolean", visible_start(key), raw);
    return raw == 1;
  }

  /// Numbers above 2^63 - 1 (seeds, hashes) become a double: no size and no count is as large.
  static GgufValue whole(Kind kind, std::uint64_t raw) {
    if (is_signed(kind)) return extended(raw, width_of(kind));
    if (raw > static_cast<std::uint64_t>(largest)) return static_cast<double>(raw);
    return static_cast<std::int64_t>(raw);
  }

  GgufValue read_array(const std::string& key) {
    const auto kind = read_kind(key);
    const auto count = bytes_.count(smallest(kind), "the length of an array");
    if (!is_whole(kind) || count > longest_array) {
      skip_elements(kind, count, key, 1);
      return GgufLongArray{count};
    }
    std::vector<std::int64_t> numbers;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto value = whole(kind, bytes_.number(width_of(kind), "a value"));
      numbers.push_back(std::holds_alternative<std::int64_t>(value) ? std::get<std::int64_t>(value) : largest);
    }
    return numbers;
  }

  void skip_elements(Kind kind, std::uint64_t count, const std::string& key, int depth) {
    if (kind != Kind::text && kind != Kind::array) return bytes_.skip(count * width_of(kind), "an array");
    if (depth > deepest_array)
      bytes_.wrong("{}: arrays are nested more than {} deep", visible_start(key), deepest_array);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (kind == Kind::text) {
        bytes_.skip_text("a text");
        continue;
      }
      const auto inner = read_kind(key);
      skip_elements(inner, bytes_.count(smallest(inner), "the length of an array"), key, depth + 1);
    }
  }

  std::uint64_t read_alignment() const {
    const auto found = file_.number("general.alignment").value_or(32);
    if (found < 1 || found > (1 << 30) || !std::has_single_bit(static_cast<std::uint64_t>(found)))
      fail(ErrorCode::input, "{}: general.alignment: found {}, expected a power of two", file_.source, found);
    return static_cast<std::uint64_t>(found);
  }

  void read_tensor() {
    GgufTensor tensor{.name = bytes_.text(longest_name, "a tensor's name")};
    if (!names_.insert(tensor.name).second) bytes_.wrong("there are two tensors {}", visible_start(tensor.name));
    const auto dimensions = bytes_.u32("the number of dimensions");
    if (dimensions < 1 || dimensions > 4)
      bytes_.wrong("{}: found {} dimensions, expected 1 to 4", visible_start(tensor.name), dimensions);
    for (std::uint32_t i = 0; i < dimensions; ++i) tensor.shape.push_back(read_size(tensor));
    tensor.type = bytes_.u32("a tensor's type");
    tensor.bytes = bytes_of(tensor);
    tensor.begin = bytes_.u64("a tensor's offset");
    file_.tensors.push_back(std::move(tensor));
  }

  std::int64_t read_size(const GgufTensor& tensor) {
    const auto size = bytes_.u64("a dimension");
    std::uint64_t limit = static_cast<std::uint64_t>(largest) / 8;  // elements have at most 8 bytes
    for (const auto other : tensor.shape) limit /= static_cast<std::uint64_t>(other);
    if (size < 1 || size > limit)
      bytes_.wrong("{}: found {} as a dimension, expected 1 to {}", visible_start(tensor.name), size, limit);
    return static_cast<std::int64_t>(size);
  }

  std::uint64_t bytes_of(const GgufTensor& tensor) const {
    const auto type = gguf_type(tensor.type);
    if (!type) return 0;
    if (tensor.shape[0] % type->block != 0)
      bytes_.wrong("{}: found rows of {}, expected a multiple of {}, the block of {}", visible_start(tensor.name),
                   tensor.shape[0], type->block, type->name);
    auto blocks = tensor.shape[0] / type->block;
    for (std::size_t i = 1; i < tensor.shape.size(); ++i) blocks *= tensor.shape[i];
    return static_cast<std::uint64_t>(blocks) * static_cast<std::uint64_t>(type->block_bytes);
  }

  /// Offsets in files count from the beginning of the data.
  void place(GgufTensor& tensor, std::uint64_t alignment) const {
    const auto limit = static_cast<std::uint64_t>(largest) - file_.data_begin - tensor.bytes;
    if (tensor.begin % alignment != 0 || tensor.begin > limit)
      fail(ErrorCode::input, "{}: {}: found its data at {}, expected a multiple of {}", file_.source,
           visible_start(tensor.name), tensor.begin, alignment);
    tensor.begin += file_.data_begin;
  }

  GgufBytes bytes_;
  GgufFile file_;
  std::set<std::string> names_;
};

template <typename Value>
std::optional<Value> value_of(const GgufFile& file, std::string_view key, std::string_view expected) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) return std::nullopt;
  if (const auto* value = std::get_if<Value>(&found->second)) return *value;
  fail(ErrorCode::input, "{}: {}: expected {}", file.source, key, expected);
}

std::int64_t not_negative(const GgufFile& file, std::string_view key, std::int64_t number) {
  if (number < 0) fail(ErrorCode::input, "{}: {}: found {}, expected a number of at least 0", file.source, key, number);
  return number;
}

}  // namespace

std::optional<std::int64_t> GgufFile::number(std::string_view key) const {
  const auto found = value_of<std::int64_t>(*this, key, "a whole number");
  return found ? std::optional(not_negative(*this, key, *found)) : std::nullopt;
}

std::optional<bool> GgufFile::flag(std::string_view key) const { return value_of<bool>(*this, key, "a boolean"); }

std::optional<std::string> GgufFile::text(std::string_view key) const {
  return value_of<std::string>(*this, key, "a text");
}

std::optional<std::int64_t> GgufFile::number_of_layer(std::string_view key, std::int64_t layer) const {
  const auto found = metadata.find(key);
  if (found == metadata.end()) return std::nullopt;
  const auto* numbers = std::get_if<std::vector<std::int64_t>>(&found->second);
  if (numbers == nullptr) return number(key);
  if (layer < 0 || static_cast<std::size_t>(layer) >= numbers->size())
    fail(ErrorCode::input, "{}: {}: found {} numbers, expected one for layer {}", source, key, numbers->size(), layer);
  return not_negative(*this, key, (*numbers)[static_cast<std::size_t>(layer)]);
}

bool GgufFile::has_data() const {
  for (const auto& tensor : tensors)
    if (tensor.begin + tensor.bytes > file_bytes) return false;
  return true;
}

bool is_gguf(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::array<char, 4> start{};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  return std::string_view(start.data(), start.size()) == magic;
}

GgufFile read_gguf(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    fail(ErrorCode::input, "{}: {}", path.string(), error ? error.message() : "it is not a regular file");
  const auto bytes = std::filesystem::file_size(path, error);
  std::ifstream stream(path, std::ios::binary);
  if (error || !stream) fail(ErrorCode::input, "{}: it cannot be opened", path.string());
  return read_gguf(stream, bytes, path.string());
}

GgufFile read_gguf(std::istream& stream, std::uint64_t bytes, const std::string& source) {
  return HeaderReader(stream, bytes, source).read();
}

}  // namespace gemmtune
