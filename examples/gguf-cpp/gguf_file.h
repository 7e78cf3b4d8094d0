// Maps a GGUF file and finds the tensors of one layer in it: no more than the examples need. A file that contradicts
// its own size is refused with an exception.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

enum class BlockType : std::uint32_t { q4_0 = 2, q8_0 = 8, mxfp4 = 39 };

std::string_view name_of(BlockType type);

/// Weights of 32-element blocks: [experts, n, k], or [n, k] with one expert.
struct BlockTensor {
  std::string name;
  BlockType type{};
  std::int64_t k{};
  std::int64_t n{};
  std::int64_t experts{1};
  const unsigned char* data{};  // in the mapped file
};

/// Bytes of a block of 32 elements.
std::size_t block_bytes(BlockType type);

class GgufFile {
 public:
  explicit GgufFile(const std::string& path);
  ~GgufFile();
  GgufFile(const GgufFile&) = delete;
  GgufFile& operator=(const GgufFile&) = delete;

  /// The weights "blk.<layer>.….weight" that have such blocks, in the order of the file.
  std::vector<BlockTensor> layer(std::int64_t layer) const;

  /// How many experts a token gets; 0 if the file does not say.
  std::int64_t experts_per_token() const { return experts_per_token_; }

 private:
  void read_header();
  void read_entry();
  void read_tensor();
  void skip_value(std::uint32_t kind);
  std::string_view take(std::uint64_t bytes);
  std::uint64_t number(unsigned width);
  std::string_view text() { return take(number(8)); }

  std::string path_;
  const unsigned char* mapped_{};
  std::size_t bytes_{};
  std::size_t at_{};
  std::uint64_t alignment_{32};
  std::int64_t experts_per_token_{};
  std::vector<BlockTensor> tensors_;   // of these types
  std::vector<std::uint64_t> begins_;  // of their data
};
