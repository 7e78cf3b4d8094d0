// Writes small GGUF files for tests, correct ones and such that no correct writer makes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gemmtune::testing {

class GgufWriter {
 public:
  explicit GgufWriter(std::uint32_t version = 3) : version_(version) {}

  /// `kind` is the number of the value's type in the format: 4 is u32, 5 i32, 7 bool, 8 string, 9 array, 10 u64.
  GgufWriter& raw(std::string_view key, std::uint32_t kind, std::string_view value) {
    keys_ += text(key) + number(kind, 4) + std::string(value);
    ++key_count_;
    return *this;
  }
  GgufWriter& u32(std::string_view key, std::uint64_t value) { return raw(key, 4, number(value, 4)); }
  GgufWriter& flag(std::string_view key, std::uint64_t value) { return raw(key, 7, number(value, 1)); }
  GgufWriter& word(std::string_view key, std::string_view value) { return raw(key, 8, text(value)); }
  GgufWriter& i32s(std::string_view key, const std::vector<std::int64_t>& values) {
    std::string array = number(5, 4) + number(values.size(), 8);
    for (const auto value : values) array += number(static_cast<std::uint64_t>(value), 4);
    return raw(key, 9, array);
  }
  GgufWriter& words(std::string_view key, const std::vector<std::string>& values) {
    std::string array = number(8, 4) + number(values.size(), 8);
    for (const auto& value : values) array += text(value);
    return raw(key, 9, array);
  }

  /// The sizes as files have them: K, N, experts.
  GgufWriter& tensor(std::string_view name, std::uint32_t type, const std::vector<std::uint64_t>& shape,
                     std::uint64_t offset = 0) {
    tensors_ += text(name) + number(shape.size(), 4);
    for (const auto size : shape) tensors_ += number(size, 8);
    tensors_ += number(type, 4) + number(offset, 8);
    ++tensor_count_;
    return *this;
  }

  /// Everything before the tensors' data.
  std::string bytes() const {
    return "GGUF" + number(version_, 4) + number(tensor_count_, 8) + number(key_count_, 8) + keys_ + tensors_;
  }

  static std::string number(std::uint64_t value, unsigned width) {
    std::string bytes;
    for (unsigned i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
    return bytes;
  }
  static std::string text(std::string_view value) { return number(value.size(), 8) + std::string(value); }

 private:
  std::uint32_t version_{};
  std::string keys_;
  std::string tensors_;
  std::uint64_t key_count_{};
  std::uint64_t tensor_count_{};
};

}  // namespace gemmtune::testing
