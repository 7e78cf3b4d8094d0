// Texts that many rows share. Each is stored once and followed by a NUL. They do not move when the pool is moved.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace gemmtune {

class TextPool {
 public:
  /// Returns the pool's own copy of the text.
  std::string_view keep(std::string_view text);

 private:
  char* room_for(std::size_t bytes);

  std::vector<std::unique_ptr<char[]>> blocks_;
  std::unordered_set<std::string_view> texts_;
  std::size_t used_{};
  std::size_t capacity_{};  // of the last block
};

}  // namespace gemmtune
