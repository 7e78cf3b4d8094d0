// Reads the header of a GGUF file, llama.cpp's container of models: its metadata, and the names, types, shapes and
// places of its tensors. Versions 2 and 3, little-endian. The tensors' data is not read and need not be there, so that
// the first megabytes of a large model are enough. A file may be damaged or made to harm: nothing is believed that the
// file's size contradicts, and what is kept is bounded. Models of several files: exchange/gguf_model.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gemmtune {

struct GgufTensor {
  std::string name{};                 // "blk.0.attn_q.weight"
  std::uint32_t type{};               // exchange/gguf_types.h
  std::vector<std::int64_t> shape{};  // 1 to 4 sizes, the one of consecutive elements first: K, N, experts
  std::uint64_t begin{};              // of its data, in bytes from the start of the file
  std::uint64_t bytes{};              // of its data; 0 if the type is not known
};

/// Numbers of all widths are one kind. Arrays of whole numbers are kept if they are short enough to describe layers;
/// of others (vocabularies), only that they are there.
struct GgufLongArray {
  std::uint64_t count{};

  auto operator<=>(const GgufLongArray&) const = default;
};
using GgufValue = std::variant<std::int64_t, double, bool, std::string, std::vector<std::int64_t>, GgufLongArray>;

struct GgufFile {
  std::string source{};  // the file, for messages
  std::uint32_t version{};
  std::uint64_t file_bytes{};
  std::uint64_t data_begin{};
  std::map<std::string, GgufValue, std::less<>> metadata{};
  std::vector<GgufTensor> tensors{};

  /// The value of a key. Nothing if there is none; throws Error{input} if it is of another kind or negative.
  std::optional<std::int64_t> number(std::string_view key) const;
  std::optional<bool> flag(std::string_view key) const;
  std::optional<std::string> text(std::string_view key) const;

  /// The number for one layer of a key that has one number for all layers or an array of them.
  std::optional<std::int64_t> number_of_layer(std::string_view key, std::int64_t layer) const;

  /// Whether the file holds the data of all its tensors: not if it is only the beginning of a model.
  bool has_data() const;
};

/// Whether it is a regular file that begins as GGUF files do. A stream is not, so that nothing is taken from it.
bool is_gguf(const std::filesystem::path& path);

/// Throws Error{input}, which names the file, the byte, what was found and what was expected.
GgufFile read_gguf(const std::filesystem::path& path);

/// The same for any bytes. `bytes` is how many there are; `source` names them in messages.
GgufFile read_gguf(std::istream& stream, std::uint64_t bytes, const std::string& source);

}  // namespace gemmtune
